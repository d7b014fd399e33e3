<?php
/* People who sign in as a user of WordPress: for scripts that sign them in, here and on servers. */

/** Creates the person's user, without any rights until it has its mark; null if the site prevents it. */
function easydash_create_user( $person ) {
	$login = $person['login'];
	/* The site's first administrator is nobody's own, even while there is no user of that name. */
	for ( $number = 2; username_exists( $login ) || 0 === strcasecmp( $login, $person['reserved'] ?? '' ); $number++ ) {
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

/** The user with a person's mark; null if there is none. */
function easydash_marked_user( $key ) {
	$marked = get_users(
		array(
			'meta_key'   => 'easydash_account',
			'meta_value' => $key,
			'orderby'    => 'ID',
			'number'     => 1,
		) + easydash_everywhere()
	);
	return $marked ? $marked[0] : null;
}

/** The person's own user, with the role they have now. */
function easydash_own_user( $person ) {
	add_filter( 'pre_wp_mail', '__return_true', -1 );
	$user = easydash_marked_user( $person['key'] );
	$user = $user ? $user : easydash_create_user( $person );
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

/** Seconds that a person has for a second factor. */
const EASYDASH_PATIENCE = 900;

/**
 * Sessions that start next end with the rights of the person, as their own user does: see sign-out.php. A plugin that asks for a second
 * factor starts them in a later request. Sessions of others in this time are marked, too: they only end early.
 */
function easydash_mark_sessions( $user, $key ) {
	$mark = array(
		'key'   => $key,
		'until' => time() + EASYDASH_PATIENCE,
	);
	update_user_meta( $user->ID, 'easydash_next_session', $mark );
}

/** The information of a new session, with the mark. For the filter `attach_session_information` of every request. */
function easydash_session( $session, $user_id ) {
	$mark = get_user_meta( $user_id, 'easydash_next_session', true );
	if ( is_array( $mark ) && time() <= (int) ( $mark['until'] ?? 0 ) ) {
		$session['easydash_account'] = (string) ( $mark['key'] ?? '' );
	}
	return $session;
}

/**
 * Signs in as WordPress does after a password: it answers the request, and whatever plugins do there happens. They may ask for a second
 * factor, send the person elsewhere, or refuse. Ends the request.
 */
function easydash_sign_in( $user, $admin ) {
	/* Plugins remember where the person wants to go. */
	$_REQUEST['redirect_to'] = $admin;
	/* Known to this request alone; with it, all checks of WordPress and its plugins are those of any sign-in. */
	$password = bin2hex( random_bytes( 32 ) );
	$check    = function ( $is_right, $given, $hash, $id ) use ( $user, $password ) {
		return $is_right || ( (int) $id === $user->ID && hash_equals( $password, (string) $given ) );
	};
	add_filter( 'check_password', $check, PHP_INT_MAX, 4 );
	/* It must not become the password of the user. */
	add_filter( 'password_needs_rehash', '__return_false', PHP_INT_MAX );
	$result = wp_signon(
		array(
			'user_login'    => $user->user_login,
			'user_password' => $password,
			'remember'      => false,
		)
	);
	remove_filter( 'check_password', $check, PHP_INT_MAX );
	remove_filter( 'password_needs_rehash', '__return_false', PHP_INT_MAX );
	if ( is_wp_error( $result ) ) {
		easydash_show_login( $result );
	} else {
		delete_user_meta( $user->ID, 'easydash_next_session' );
		wp_safe_redirect( apply_filters( 'login_redirect', $admin, $admin, $result ), 302, 'Easydash' );
	}
	exit;
}

/** Shows the login page of the site with the reason of a refusal. */
function easydash_show_login( $refusal ) {
	/* What wp-login.php shares with its functions. */
	global $error, $interim_login, $action, $user_login;
	add_filter(
		'wp_login_errors',
		function ( $errors ) use ( $refusal ) {
			foreach ( $refusal->get_error_codes() as $code ) {
				foreach ( $refusal->get_error_messages( $code ) as $message ) {
					$errors->add( $code, $message );
				}
			}
			return $errors;
		}
	);
	/* Otherwise somebody who is signed in already would be sent on instead. */
	unset( $_COOKIE[ LOGGED_IN_COOKIE ], $_COOKIE[ AUTH_COOKIE ], $_COOKIE[ SECURE_AUTH_COOKIE ] );
	status_header( 403 );
	require ABSPATH . 'wp-login.php';
}
