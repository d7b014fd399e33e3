<?php
/*
 * Makes the users with a mark agree with a list: each one on it gets its role, the others are removed, and the sessions of people
 * who signed in as another user end once they may not any more.
 * Input: keep (key and role of each), reassignTo (login name). Result: removed, the number of users.
 */
/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
require '/wordpress/wp-load.php';
require '/internal/easydash/grant.php';
require '/internal/easydash/members.php';
require '/internal/easydash/sign-out.php';

$removed = easydash_sync_users( $easydash_input['keep'], $easydash_input['reassignTo'] );
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( array( 'removed' => $removed ) ) );
