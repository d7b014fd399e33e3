<?php
/*
 * Signs a person in as their own user, or with `as` as the user of that login name, if the person may do as much. A user of one's own is
 * found by its mark alone, the metadata `easydash_account`; the site can use the person's email address or login name for another one.
 *
 * Called as a script it only says whether that would work, and makes the person's own user if there is none.
 * Input: key, login, name, email, role, as. Result: found, refused (missing, above or personal).
 * As the answer to a request (without EASYDASH_RESULT) it signs in, and leads to the admin area: that of the network, if `to` says so.
 */
/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input  = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$easydash_result = $_SERVER['EASYDASH_RESULT'] ?? null;
unset( $_SERVER['EASYDASH_INPUT'] );
require '/wordpress/wp-load.php';
require '/internal/easydash/grant.php';
require '/internal/easydash/members.php';
require_once '/internal/easydash/sign-in.php';

$as = $easydash_input['as'] ?? null;
if ( null !== $as ) {
	$user = get_user_by( 'login', $as );
} else {
	/* The answer makes no user: its rights may have ended since the link was made. */
	$user = null === $easydash_result ? easydash_marked_user( $easydash_input['key'] ) : easydash_own_user( $easydash_input );
}
$refused = $user ? '' : 'missing';
if ( null !== $as ) {
	$refused = easydash_refusal( $user, $easydash_input );
}
if ( null !== $easydash_result ) {
	file_put_contents(
		$easydash_result,
		json_encode(
			array(
				'found'   => '' === $refused,
				'refused' => $refused,
			)
		)
	);
	return;
}
nocache_headers();
header( 'Cache-Control: no-store' );
header( 'Referrer-Policy: no-referrer' );
if ( '' !== $refused ) {
	wp_die( 'This user is not there for you any more. Ask Easydash to open the admin again.', 'You were not signed in', array( 'response' => 403 ) );
}
if ( null !== $as ) {
	easydash_mark_sessions( $user, $easydash_input['key'] );
}
easydash_sign_in( $user, 'network' === ( $easydash_input['to'] ?? '' ) ? network_admin_url() : admin_url() );
