<?php
/* Brings the database to the version of WordPress' files, without the site's own code. Result: version, database, changed. */
define( 'WP_INSTALLING', true );
require '/internal/easydash/load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

add_filter( 'pre_wp_mail', '__return_true', -1 );
$easydash_before = (int) get_option( 'db_version' );
wp_upgrade();
wp_cache_flush();
/* What WordPress knew of newer versions was for the version before. */
delete_site_transient( 'update_core' );
easydash_result(
	array(
		'version'  => easydash_text( $GLOBALS['wp_version'], 40 ),
		'database' => (int) get_option( 'db_version' ),
		'changed'  => $easydash_before !== (int) $GLOBALS['wp_db_version'],
	)
);
