<?php
/* Signs a user in: the authentication cookies are this run's headers. Input: user. Result: found, url. */
require '/wordpress/wp-load.php';

$input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$user  = get_user_by( 'login', $input['user'] );
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
