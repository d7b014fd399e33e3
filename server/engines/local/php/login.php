<?php
/*
 * Signs a person in as their own user: the authentication cookies are this run's headers. The user is found by its mark
 * alone, the metadata `easydash_account`; the site can use the person's email address or login name for another one.
 * Input: key, login, name, email, role. Result: found, url.
 */
/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
require '/wordpress/wp-load.php';

/** Creates the person's user, without any rights until it has its mark; null if the site prevents it. */
function easydash_create_user( $person ) {
	$login = $person['login'];
	for ( $number = 2; username_exists( $login ); $number++ ) {
		$login = $person['login'] . '-' . $number;
	}
	$id = wp_insert_user(
		wp_slash(
			array(
				'user_login'   => $login,
				'user_pass'    => wp_generate_password( 32 ),
				/* WordPress allows an address once; without one a user works, too. */
				'user_email'   => email_exists( $person['email'] ) ? '' : $person['email'],
				'display_name' => $person['name'],
				'nickname'     => $person['name'],
				'meta_input'   => array( 'easydash_account' => $person['key'] ),
				'role'         => $person['role'],
			)
		)
	);
	return is_wp_error( $id ) ? null : get_user_by( 'id', $id );
}

add_filter( 'pre_wp_mail', '__return_true', -1 );
$marked = get_users(
	array(
		'meta_key'   => 'easydash_account',
		'meta_value' => $easydash_input['key'],
		'orderby'    => 'ID',
		'number'     => 1,
	)
);
$user   = $marked ? $marked[0] : easydash_create_user( $easydash_input );
if ( $user ) {
	if ( array( $easydash_input['role'] ) !== array_values( $user->roles ) ) {
		$user->set_role( $easydash_input['role'] );
	}
	remove_filter( 'pre_wp_mail', '__return_true', -1 );
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
