<?php
/*
 * Signs a made-up administrator in where a backup is tried out; nobody removes them, because all of it is removed. Input: safe, login.
 * Result: cookie; null: WordPress did not make the user.
 */
require '/internal/easydash/load.php';

$easydash_user = wp_insert_user(
	array(
		'user_login' => $easydash_input['login'],
		'user_pass'  => wp_generate_password( 32 ),
		'user_email' => $easydash_input['login'] . '@example.com',
		'role'       => 'administrator',
	)
);
$easydash_cookie = null;
if ( ! is_wp_error( $easydash_user ) ) {
	$easydash_end   = time() + 3600;
	$easydash_token = WP_Session_Tokens::get_instance( $easydash_user )->create( $easydash_end );
	$easydash_pairs = array();
	foreach ( array( 'auth' => AUTH_COOKIE, 'secure_auth' => SECURE_AUTH_COOKIE, 'logged_in' => LOGGED_IN_COOKIE ) as $easydash_scheme => $easydash_name ) {
		$easydash_pairs[] = $easydash_name . '=' . rawurlencode( wp_generate_auth_cookie( $easydash_user, $easydash_end, $easydash_scheme, $easydash_token ) );
	}
	$easydash_cookie = implode( '; ', $easydash_pairs );
}
easydash_result( array( 'cookie' => $easydash_cookie ) );
