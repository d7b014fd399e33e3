<?php
/* The end of people's rights on a site: for scripts that remove their users, here and on servers. */

/** Ends every way in of a user that must stay, because the site has no other administrator. */
function easydash_lock_out( $user ) {
	wp_set_password( wp_generate_password( 32 ), $user->ID );
	wp_update_user(
		array(
			'ID'         => $user->ID,
			'user_email' => '',
		)
	);
	\WP_Application_Passwords::delete_all_application_passwords( $user->ID );
	\WP_Session_Tokens::get_instance( $user->ID )->destroy_all();
	delete_user_meta( $user->ID, 'easydash_account' );
}

/** Ends the sessions that belong to people whose role does not cover the user of the session. */
function easydash_end_sessions( $roles ) {
	$users = get_users(
		array(
			'meta_query' => array(
				array(
					'key'     => 'session_tokens',
					'value'   => 'easydash_account',
					'compare' => 'LIKE',
				),
			),
		) + easydash_everywhere()
	);
	foreach ( $users as $user ) {
		$sessions = array_filter( (array) get_user_meta( $user->ID, 'session_tokens', true ) );
		$kept     = array_filter(
			$sessions,
			function ( $session ) use ( $roles, $user ) {
				$key = is_array( $session ) ? ( $session['easydash_account'] ?? null ) : null;
				return null === $key || easydash_covers( $roles[ (string) $key ] ?? '', $user );
			}
		);
		if ( count( $kept ) < count( $sessions ) ) {
			update_user_meta( $user->ID, 'session_tokens', $kept );
		}
	}
}

/**
 * Makes the users with a mark agree with a list (key and role of each): each one on it gets its role, the others are removed, and the
 * sessions of people who signed in as another user end once they may not any more. Returns the number of removed users.
 */
function easydash_sync_users( $keep, $reassign_to ) {
	add_filter( 'pre_wp_mail', '__return_true', -1 );
	$roles   = array_column( $keep, 'role', 'key' );
	$removed = array();
	foreach ( get_users( array( 'meta_key' => 'easydash_account' ) + easydash_everywhere() ) as $user ) {
		$role = $roles[ (string) get_user_meta( $user->ID, 'easydash_account', true ) ] ?? null;
		if ( $user->user_login === $reassign_to ) {
			/* Nobody's own: marked by somebody else. */
			delete_user_meta( $user->ID, 'easydash_account' );
		} elseif ( null === $role ) {
			$removed[ $user->ID ] = $user;
		} else {
			if ( array( $role ) !== array_values( $user->roles ) ) {
				$user->set_role( $role );
			}
			easydash_set_super( $user, $role );
		}
	}

	$others = get_users(
		array(
			'role'    => 'administrator',
			'exclude' => array_keys( $removed ),
			'orderby' => 'ID',
			'number'  => 1,
		)
	);
	$first  = get_user_by( 'login', $reassign_to );
	foreach ( $removed as $id => $user ) {
		$reassign = $first ? $first : ( $others[0] ?? null );
		if ( null === $reassign || ( ! $others && in_array( 'administrator', $user->roles, true ) ) ) {
			easydash_lock_out( $user );
			$others = array( $user );
		} elseif ( ! easydash_remove_user( $id, $reassign->ID ) ) {
			easydash_lock_out( $user );
		}
	}
	easydash_end_sessions( $roles );
	return count( $removed );
}
