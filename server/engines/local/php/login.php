<?php
/*
 * Signs a person in as their own user: the authentication cookies are this run's headers. The user is found by its mark
 * alone, the metadata `easydash_account`; the site can use the person's email address or login name for another one.
 * With `as`, it is the user of that login name, if the person may do as much; `check` only says whether it would work.
 * Input: key, login, name, email, role, as, check. Result: found, url, refused (missing, above or personal).
 */
/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
require '/wordpress/wp-load.php';
require '/internal/easydash/grant.php';
require '/internal/easydash/members.php';
require '/internal/easydash/sign-in.php';

$as      = $easydash_input['as'] ?? null;
$user    = null === $as ? easydash_own_user( $easydash_input ) : get_user_by( 'login', $as );
$refused = null === $as ? '' : easydash_refusal( $user, $easydash_input );
$found   = $user && '' === $refused;
if ( $found && empty( $easydash_input['check'] ) ) {
	if ( null !== $as ) {
		easydash_mark_session( $easydash_input['key'] );
	}
	easydash_sign_in( $user );
}
file_put_contents(
	$_SERVER['EASYDASH_RESULT'],
	json_encode(
		array(
			'found'   => $found,
			'refused' => $refused,
			'url'     => admin_url(),
		)
	)
);
