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

/** The session that is started next ends with the rights of the person, as their own user does: see sign-out.php. */
function easydash_mark_session( $key ) {
	add_filter(
		'attach_session_information',
		function ( $session ) use ( $key ) {
			$session['easydash_account'] = $key;
			return $session;
		}
	);
}

/** Starts a session: its cookies are headers of this run. */
function easydash_sign_in( $user ) {
	wp_set_auth_cookie( $user->ID, false, is_ssl() );
	do_action( 'wp_login', $user->user_login, $user );
}
