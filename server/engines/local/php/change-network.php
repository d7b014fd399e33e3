<?php
/* Changes of a network, for `change.php`. */

/** Adds a site to the network, as wp-admin/network/site-new.php does. Repeated, it finds the site of its first attempt. */
function easydash_add_site( $change ) {
	if ( ! is_multisite() || is_subdomain_install() ) {
		easydash_refuse( 'no_network', '' );
	}
	global $wpdb;
	$network = get_network();
	$path    = $network->path . $change['path'] . '/';
	$known   = get_site_by_path( $network->domain, $path );
	if ( $known && $known->path === $path ) {
		easydash_refuse( 'taken', '' );
	}
	$page = $wpdb->get_var( $wpdb->prepare( "SELECT ID FROM {$wpdb->get_blog_prefix( get_main_site_id() )}posts WHERE post_name = %s AND post_parent = 0 AND post_type IN ( 'post', 'page' ) AND post_status <> 'trash'", $change['path'] ) );
	if ( $page || in_array( $change['path'], get_subdirectory_reserved_names(), true ) || file_exists( ABSPATH . $change['path'] ) ) {
		easydash_refuse( 'taken', '' );
	}
	$admins = get_super_admins();
	$user   = get_user_by( 'login', $admins[0] ?? '' );
	easydash_expect( wpmu_create_blog( $network->domain, $path, wp_slash( $change['title'] ), $user ? $user->ID : 0, array( 'public' => 1 ), $network->id ) );
}

/** Deletes a site of the network with its tables and uploads. */
function easydash_delete_site( $id ) {
	if ( ! is_multisite() ) {
		easydash_refuse( 'no_network', '' );
	}
	if ( is_main_site( $id ) ) {
		easydash_refuse( 'main_site', '' );
	}
	if ( get_site( $id ) ) {
		wpmu_delete_blog( $id, true );
	}
}

/** Lets all sites of the network use a theme, or only those that have it already. */
function easydash_set_theme_network( $theme, $on ) {
	if ( ! is_multisite() ) {
		easydash_refuse( 'not_multisite', '' );
	}
	if ( $on ) {
		WP_Theme::network_enable_theme( $theme );
	} else {
		WP_Theme::network_disable_theme( $theme );
	}
}

/** Makes a user a super admin of the network, or takes that away; one must stay. */
function easydash_set_super_admin( $user, $on ) {
	if ( ! is_multisite() ) {
		easydash_refuse( 'not_multisite', '' );
	}
	if ( is_super_admin( $user->ID ) === $on ) {
		return;
	}
	if ( isset( $GLOBALS['super_admins'] ) ) {
		easydash_refuse( 'invalid', 'The super admins are named in $super_admins of wp-config.php.' );
	}
	if ( $on ) {
		easydash_expect( grant_super_admin( $user->ID ) );
		return;
	}
	/* The list may name users who do not exist any more. */
	if ( array( $user->user_login ) === array_values( array_filter( get_super_admins(), 'username_exists' ) ) ) {
		easydash_refuse( 'last_administrator', '' );
	}
	if ( 0 === strcasecmp( $user->user_email, (string) get_site_option( 'admin_email' ) ) ) {
		easydash_refuse( 'invalid', 'The email address of the user is that of the network. Change one of them first.' );
	}
	easydash_expect( revoke_super_admin( $user->ID ) );
}
