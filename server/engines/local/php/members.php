<?php
/* Users in a network, where they belong to all its sites: for scripts that read and remove them. */

/** For queries of users: those of all sites of a network. */
function easydash_everywhere() {
	return is_multisite() ? array( 'blog_id' => 0 ) : array();
}

/** Whether the user may do everything in the network, and what somebody with this role should be there. */
function easydash_set_super( $user, $role ) {
	if ( ! is_multisite() || is_super_admin( $user->ID ) === ( 'administrator' === $role ) ) {
		return;
	}
	if ( 'administrator' === $role ) {
		grant_super_admin( $user->ID );
	} else {
		revoke_super_admin( $user->ID );
	}
}

/** Removes a user; another one gets what they wrote, on each site of a network. Returns whether the user is gone. */
function easydash_remove_user( $id, $heir ) {
	require_once ABSPATH . 'wp-admin/includes/user.php';
	if ( ! is_multisite() ) {
		return wp_delete_user( $id, $heir );
	}
	require_once ABSPATH . 'wp-admin/includes/ms.php';
	revoke_super_admin( $id );
	/* WordPress keeps those of the whole network and the one whose address the network has. */
	if ( is_super_admin( $id ) ) {
		return false;
	}
	foreach ( get_blogs_of_user( $id, true ) as $blog ) {
		remove_user_from_blog( $id, $blog->userblog_id, $heir );
	}
	return wpmu_delete_user( $id );
}

/** The administrator that was first here, none of these ids, if possible one that is no person's own; null if there is none. */
function easydash_first_administrator( $exclude = array() ) {
	$query    = array(
		'role'    => 'administrator',
		'exclude' => $exclude,
		'orderby' => 'ID',
		'number'  => 1,
	);
	$unmarked = array(
		array(
			'key'     => 'easydash_account',
			'compare' => 'NOT EXISTS',
		),
	);
	$found    = array_merge( get_users( $query + array( 'meta_query' => $unmarked ) ), get_users( $query ) );
	return $found[0] ?? null;
}
