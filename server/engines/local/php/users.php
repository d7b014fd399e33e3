<?php
/*
 * Makes the users with a mark agree with a list: each one on it gets its role, the others are removed.
 * Input: keep (key and role of each), reassignTo (login name). Result: removed, the number of users.
 */
/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
require '/wordpress/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/user.php';

/** Ends every way in of a user that must stay, because the site has no other administrator. */
function easydash_lock_out( $user ) {
	wp_set_password( wp_generate_password( 32 ), $user->ID );
	wp_update_user(
		array(
			'ID'         => $user->ID,
			'user_email' => '',
		)
	);
	WP_Application_Passwords::delete_all_application_passwords( $user->ID );
	WP_Session_Tokens::get_instance( $user->ID )->destroy_all();
	delete_user_meta( $user->ID, 'easydash_account' );
}

add_filter( 'pre_wp_mail', '__return_true', -1 );
$roles   = array_column( $easydash_input['keep'], 'role', 'key' );
$removed = array();
foreach ( get_users( array( 'meta_key' => 'easydash_account' ) ) as $user ) {
	$role = $roles[ (string) get_user_meta( $user->ID, 'easydash_account', true ) ] ?? null;
	if ( $user->user_login === $easydash_input['reassignTo'] ) {
		/* Nobody's own: marked by somebody else. */
		delete_user_meta( $user->ID, 'easydash_account' );
	} elseif ( null === $role ) {
		$removed[ $user->ID ] = $user;
	} elseif ( array( $role ) !== array_values( $user->roles ) ) {
		$user->set_role( $role );
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
$first  = get_user_by( 'login', $easydash_input['reassignTo'] );
foreach ( $removed as $id => $user ) {
	$reassign = $first ? $first : ( $others[0] ?? null );
	if ( null === $reassign || ( ! $others && in_array( 'administrator', $user->roles, true ) ) ) {
		easydash_lock_out( $user );
		$others = array( $user );
	} else {
		wp_delete_user( $id, $reassign->ID );
	}
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( array( 'removed' => count( $removed ) ) ) );
