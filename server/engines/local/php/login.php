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

/** The person's own user, with the role they have now. */
function easydash_own_user( $person ) {
	add_filter( 'pre_wp_mail', '__return_true', -1 );
	$marked = get_users(
		array(
			'meta_key'   => 'easydash_account',
			'meta_value' => $person['key'],
			'orderby'    => 'ID',
			'number'     => 1,
		) + easydash_everywhere()
	);
	$user   = $marked ? $marked[0] : easydash_create_user( $person );
	if ( $user && array( $person['role'] ) !== array_values( $user->roles ) ) {
		$user->set_role( $person['role'] );
	}
	if ( $user ) {
		easydash_set_super( $user, $person['role'] );
	}
	remove_filter( 'pre_wp_mail', '__return_true', -1 );
	return $user;
}

/** Why the person does not get this user; empty if they do. */
function easydash_refusal( $user, $person ) {
	if ( ! $user ) {
		return 'missing';
	}
	$mark = (string) get_user_meta( $user->ID, 'easydash_account', true );
	if ( '' !== $mark && $mark !== $person['key'] ) {
		return 'personal';
	}
	return easydash_covers( $person['role'], $user ) ? '' : 'above';
}

$as      = $easydash_input['as'] ?? null;
$user    = null === $as ? easydash_own_user( $easydash_input ) : get_user_by( 'login', $as );
$refused = null === $as ? '' : easydash_refusal( $user, $easydash_input );
$found   = $user && '' === $refused;
if ( $found && empty( $easydash_input['check'] ) ) {
	if ( null !== $as ) {
		/* The session ends with the rights of the person, as their own user does: see users.php. */
		add_filter(
			'attach_session_information',
			function ( $session ) use ( $easydash_input ) {
				$session['easydash_account'] = $easydash_input['key'];
				return $session;
			}
		);
	}
	wp_set_auth_cookie( $user->ID, false, is_ssl() );
	do_action( 'wp_login', $user->user_login, $user );
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
