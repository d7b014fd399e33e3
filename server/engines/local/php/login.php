<?php
/* Signs a user in: the authentication cookies are this run's headers. Input: user. Result: found, url. */
/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
require '/wordpress/wp-load.php';

$user  = get_user_by( 'login', $easydash_input['user'] );
if ( $user ) {
	wp_set_auth_cookie( $user->ID, false, is_ssl() );
	do_action( 'wp_login', $user->user_login, $user );
}
file_put_contents(
	$_SERVER['EASYDASH_RESULT'],
	json_encode(
		array(
			'found' => (bool) $user,
			'url'   => admin_url(),
		)
	)
);
