<?php
/*
 * Makes a sub-directory network of a single site, as WordPress' own screen does (wp-admin/network.php): tables, their first rows, and
 * the constants in wp-config.php, which come last. The addresses of the site's content stay as they are.
 * Input: host (with its port, if it has one), safe. Result: host and main (the address of its first site) of the network, or refused
 * (administrator, config, kind, leftover or failed) with why.
 */
require '/internal/easydash/load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

const EASYDASH_CONFIG = '/wordpress/wp-config.php';

function easydash_refuse( $code, $why = '' ) {
	easydash_result(
		array(
			'refused' => $code,
			'why'     => easydash_text( $why, 300 ),
		)
	);
	exit;
}

/** The configuration as that of a network; null if it is not of the usual kind. */
function easydash_network_config( $host ) {
	$before = is_file( EASYDASH_CONFIG ) && filesize( EASYDASH_CONFIG ) < 1000000 ? file_get_contents( EASYDASH_CONFIG ) : '';
	$names  = 'WP_ALLOW_MULTISITE|MULTISITE|SUBDOMAIN_INSTALL|DOMAIN_CURRENT_SITE|PATH_CURRENT_SITE|SITE_ID_CURRENT_SITE|BLOG_ID_CURRENT_SITE';
	$clean  = preg_replace( '/^[ \t]{0,40}define\(\s{0,20}([\'"])(?:' . $names . ')\1\s{0,20},[^;\r\n]{0,300};[ \t]{0,40}\r?\n/m', '', $before );
	/* WordPress begins there: what comes later would be too late. */
	if ( ! is_string( $clean ) || ! preg_match( '/^[ \t]{0,40}require(?:_once)?\b[^;\r\n]{0,200}wp-settings\.php/m', $clean, $match, PREG_OFFSET_CAPTURE ) ) {
		return null;
	}
	$constants = "/* A network of sites in sub-directories. */\n"
		. "define( 'WP_ALLOW_MULTISITE', true );\ndefine( 'MULTISITE', true );\ndefine( 'SUBDOMAIN_INSTALL', false );\n"
		. "define( 'DOMAIN_CURRENT_SITE', '" . addcslashes( $host, "'\\" ) . "' );\ndefine( 'PATH_CURRENT_SITE', '/' );\n"
		. "define( 'SITE_ID_CURRENT_SITE', 1 );\ndefine( 'BLOG_ID_CURRENT_SITE', 1 );\n\n";
	return substr_replace( $clean, $constants, $match[0][1], 0 );
}

/** Writes a file that a killed process leaves as it was. */
function easydash_write_config( $content ) {
	$temporary = EASYDASH_CONFIG . '.easydash-' . bin2hex( random_bytes( 4 ) );
	if ( strlen( $content ) !== file_put_contents( $temporary, $content ) ) {
		@unlink( $temporary );
		easydash_refuse( 'failed', 'no room' );
	}
	chmod( $temporary, fileperms( EASYDASH_CONFIG ) & 0777 );
	rename( $temporary, EASYDASH_CONFIG );
	opcache_invalidate( EASYDASH_CONFIG, true );
}

/** The tables of a network, with nothing in them. An interrupted run before left some. */
function easydash_network_tables() {
	global $wpdb;
	foreach ( $wpdb->tables( 'ms_global' ) as $table => $name ) {
		$wpdb->$table = $name;
	}
	install_network();
	if ( (int) $wpdb->get_var( "SELECT COUNT(*) FROM $wpdb->blogs WHERE blog_id > 1" ) > 0 ) {
		easydash_refuse( 'leftover' );
	}
	foreach ( array( $wpdb->site, $wpdb->sitemeta, $wpdb->blogs ) as $name ) {
		$wpdb->query( "DELETE FROM $name" );
	}
}

/** Email address of the network's administrator: that of the site, if it belongs to one, or that of the first administrator. */
function easydash_network_admin() {
	$owner = get_user_by( 'email', get_option( 'admin_email' ) );
	if ( $owner && in_array( 'administrator', $owner->roles, true ) ) {
		return $owner->user_email;
	}
	foreach ( get_users( array( 'role' => 'administrator', 'orderby' => 'ID', 'number' => 50 ) ) as $user ) {
		if ( is_email( $user->user_email ) ) {
			return $user->user_email;
		}
	}
	return null;
}

function easydash_make_network( $host ) {
	global $wpdb;
	$config = easydash_network_config( $host );
	$email  = easydash_network_admin();
	if ( null === $config ) {
		easydash_refuse( 'config' );
	}
	if ( null === $email ) {
		easydash_refuse( 'administrator' );
	}
	$home      = is_ssl() ? "https://$host" : "http://$host";
	$permalink = get_option( 'permalink_structure' );
	easydash_network_tables();
	$made = populate_network( 1, $host, $email, wp_specialchars_decode( (string) get_option( 'blogname' ), ENT_QUOTES ), '/', false );
	if ( is_wp_error( $made ) ) {
		easydash_refuse( 'failed', $made->get_error_message() );
	}
	/* Directly: constants hide what the options are. In a network they have no effect. */
	foreach ( array( 'home' => $home, 'siteurl' => $home ) + ( '' === $permalink ? array() : array( 'permalink_structure' => $permalink ) ) as $name => $value ) {
		$wpdb->update( $wpdb->options, array( 'option_value' => $value ), array( 'option_name' => $name ) );
	}
	$wpdb->delete( $wpdb->options, array( 'option_name' => 'rewrite_rules' ) );
	$wpdb->update( $wpdb->sitemeta, array( 'meta_value' => "$home/" ), array( 'meta_key' => 'siteurl' ) );
	/* Uploads stay as large as PHP allows: a network's own limit begins at 1.5 MB. */
	$wpdb->update( $wpdb->sitemeta, array( 'meta_value' => '1048576' ), array( 'meta_key' => 'fileupload_maxk' ) );
	wp_cache_flush();
	easydash_write_config( $config );
	return array(
		'host' => $host,
		'main' => $home,
	);
}

add_filter( 'pre_wp_mail', '__return_true', -1 );
if ( ! is_multisite() ) {
	easydash_result( easydash_make_network( $easydash_input['host'] ) );
} elseif ( is_subdomain_install() || '/' !== get_network()->path ) {
	easydash_refuse( 'kind' );
} else {
	easydash_result(
		array(
			'host' => easydash_text( get_network()->domain ),
			'main' => easydash_text( get_site_url( get_main_site_id() ) ),
		)
	);
}
