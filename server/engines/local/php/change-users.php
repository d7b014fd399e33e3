<?php
/* Changes of users, for `change.php`. */

function easydash_user( $login ) {
	$user = get_user_by( 'login', $login );
	if ( ! $user ) {
		easydash_refuse( 'missing', '' );
	}
	return $user;
}

/** The last administrator must stay one. */
function easydash_keep_administrator( $user ) {
	$others = get_users(
		array(
			'role'    => 'administrator',
			'exclude' => array( $user->ID ),
			'number'  => 1,
			'fields'  => 'ID',
		)
	);
	if ( ! $others && in_array( 'administrator', $user->roles, true ) ) {
		easydash_refuse( 'last_administrator', '' );
	}
}

/**
 * Gives a user another login name, which WordPress itself never changes, and ends their sessions. The name in addresses of author
 * pages (`user_nicename`) stays: links keep working, and it does not tell the new login name.
 */
function easydash_rename_user( $login, $to ) {
	global $wpdb;
	$user = get_user_by( 'login', $login );
	if ( ! $user ) {
		/* Renamed already. */
		easydash_user( $to );
		return;
	}
	$forbidden = array_map( 'strtolower', (array) apply_filters( 'illegal_user_logins', array() ) );
	if ( sanitize_user( $to, true ) !== $to || ! validate_username( $to ) || in_array( strtolower( $to ), $forbidden, true ) ) {
		easydash_refuse( 'invalid', __( 'Sorry, that username is not allowed.' ) );
	}
	/* An address is a login name, too. */
	foreach ( array( username_exists( $to ), email_exists( $to ) ) as $other ) {
		if ( $other && (int) $other !== $user->ID ) {
			easydash_refuse( 'invalid', __( 'Sorry, that username already exists!' ) );
		}
	}
	if ( isset( $GLOBALS['super_admins'] ) && in_array( $user->user_login, (array) $GLOBALS['super_admins'], true ) ) {
		easydash_refuse( 'invalid', 'The user is named in $super_admins of wp-config.php.' );
	}
	/* A network lists its super admins by login name: nobody else may take a name that is in that list. */
	$wpdb->query( 'START TRANSACTION' );
	$renamed = $wpdb->update( $wpdb->users, array( 'user_login' => $to ), array( 'ID' => $user->ID ) );
	$admins  = is_multisite() ? (array) get_site_option( 'site_admins', array() ) : array();
	if ( in_array( $user->user_login, $admins, true ) ) {
		update_site_option( 'site_admins', array_values( array_unique( array_merge( array_diff( $admins, array( $user->user_login ) ), array( $to ) ) ) ) );
	}
	$wpdb->query( false === $renamed ? 'ROLLBACK' : 'COMMIT' );
	clean_user_cache( $user );
	easydash_expect( $renamed );
	WP_Session_Tokens::get_instance( $user->ID )->destroy_all();
}
