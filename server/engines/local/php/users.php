<?php
/*
 * Makes the users of people agree with lists: see `easydash_sync_users`.
 * Input: keep (key and role of each), pause, remove (keys), reassignTo (login name). Result: removed (number of users), gone (keys).
 */
/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
require '/wordpress/wp-load.php';
require '/internal/easydash/grant.php';
require '/internal/easydash/members.php';
require '/internal/easydash/sign-out.php';

file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( easydash_sync_users( $easydash_input ) ) );
