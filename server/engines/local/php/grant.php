<?php
/* What the role of a person covers: for scripts that sign people in and out. */

/** Whether somebody with this role may act as this user: everybody who administers WordPress, others as nobody above them. */
function easydash_covers( $role, $user ) {
	if ( 'administrator' === $role ) {
		return true;
	}
	$own = get_role( (string) $role );
	if ( ! $own || ( is_multisite() && is_super_admin( $user->ID ) ) ) {
		return false;
	}
	$may = array_diff_key( array_filter( $user->allcaps ), array_flip( $user->roles ) );
	return array() === array_diff_key( $may, array_filter( $own->capabilities ) );
}
