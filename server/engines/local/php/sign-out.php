<?php
/* The end of people's rights on a site: for scripts that remove their users, here and on servers. */

/** Ends what a user can sign in with. */
function easydash_close( $user ) {
	wp_set_password( wp_generate_password( 32 ), $user->ID );
	\WP_Application_Passwords::delete_all_application_passwords( $user->ID );
	\WP_Session_Tokens::get_instance( $user->ID )->destroy_all();
}

/** Ends every way in of a user that must stay, because the site has no other administrator. */
function easydash_lock_out( $user ) {
	easydash_close( $user );
	wp_update_user(
		array(
			'ID'         => $user->ID,
			'user_email' => '',
		)
	);
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

/** Ends the rights of a user until the person has them again: no sessions, no role; what they wrote stays theirs. */
function easydash_pause( $user ) {
	\WP_Session_Tokens::get_instance( $user->ID )->destroy_all();
	if ( ! is_multisite() ) {
		$user->set_role( '' );
		return;
	}
	revoke_super_admin( $user->ID );
	/* WordPress keeps those of the whole network and the one whose address the network has. */
	if ( is_super_admin( $user->ID ) ) {
		easydash_close( $user );
	}
	foreach ( get_blogs_of_user( $user->ID, true ) as $blog ) {
		( new \WP_User( $user->ID, '', $blog->userblog_id ) )->set_role( '' );
	}
}

/** What the site knows of our keys for a user; values of any other form are not ours and go. */
function easydash_keys_of( $user ) {
	$keys = array();
	foreach ( get_user_meta( $user->ID, 'easydash_account' ) as $value ) {
		if ( is_string( $value ) && 1 === preg_match( '/^[0-9a-f]{24}$/D', $value ) ) {
			$keys[] = $value;
		} else {
			delete_user_meta( $user->ID, 'easydash_account', $value );
		}
	}
	return $keys;
}

/** Who gets what removed users wrote: the named user or another administrator, if possible one that is nobody's own. */
function easydash_heir( $login, $removed ) {
	$named = get_user_by( 'login', $login );
	$named = $named && ! isset( $removed[ $named->ID ] ) ? $named : null;
	if ( $named && ! easydash_keys_of( $named ) ) {
		return $named;
	}
	$first = easydash_first_administrator( array_keys( $removed ) );
	return $named && ( ! $first || easydash_keys_of( $first ) ) ? $named : $first;
}

/** Whether nobody gets in with this key any more. */
function easydash_is_gone( $key ) {
	$query = array(
		'meta_key'   => 'easydash_account',
		'meta_value' => $key,
	);
	foreach ( get_users( $query + easydash_everywhere() ) as $user ) {
		if ( $user->roles || \WP_Session_Tokens::get_instance( $user->ID )->get_all() ) {
			return false;
		}
	}
	return true;
}

/**
 * Makes the users that have one of our keys agree with lists: those in `keep` (key and role) get their role, those in `pause` lose it
 * until they are in `keep` again, all others are removed, whatever their login name; `reassignTo` gets what these wrote. The sessions of
 * people who signed in as another user end once they may not any more. Returns the number of removed users, and which keys of `pause` and
 * `remove` give nobody access any more.
 */
function easydash_sync_users( $input ) {
	add_filter( 'pre_wp_mail', '__return_true', -1 );
	$roles   = array_column( $input['keep'], 'role', 'key' );
	$removed = array();
	foreach ( get_users( array( 'meta_key' => 'easydash_account' ) + easydash_everywhere() ) as $user ) {
		$keys = easydash_keys_of( $user );
		if ( array_diff( $keys, array_keys( $roles ), $input['pause'] ) ) {
			$removed[ $user->ID ] = $user;
		} elseif ( array_intersect( $keys, $input['pause'] ) ) {
			easydash_pause( $user );
		} elseif ( $keys ) {
			$role = $roles[ $keys[0] ];
			if ( array( $role ) !== array_values( $user->roles ) ) {
				$user->set_role( $role );
			}
			easydash_set_super( $user, $role );
		}
	}

	$count = count( $removed );
	foreach ( $removed as $id => $user ) {
		$heir   = easydash_heir( $input['reassignTo'], $removed );
		$others = get_users(
			array(
				'role'    => 'administrator',
				'exclude' => array_keys( $removed ),
				'number'  => 1,
			)
		);
		if ( null === $heir || ( ! $others && in_array( 'administrator', $user->roles, true ) ) ) {
			easydash_lock_out( $user );
			unset( $removed[ $id ] );
		} elseif ( ! easydash_remove_user( $id, $heir->ID ) ) {
			easydash_lock_out( $user );
		}
	}
	easydash_end_sessions( $roles );
	$gone = array();
	foreach ( array_merge( $input['pause'], $input['remove'] ) as $key ) {
		if ( easydash_is_gone( $key ) ) {
			$gone[] = $key;
		}
	}
	return array(
		'removed' => $count,
		'gone'    => $gone,
	);
}
