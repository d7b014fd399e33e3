<?php
/* Installs WordPress into an empty database. Input: title, user, email, password. Result: version. */
define( 'WP_INSTALLING', true );
/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
require '/wordpress/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';

add_filter( 'pre_wp_mail', '__return_true', -1 );
if ( ! is_blog_installed() ) {
	wp_install( $easydash_input['title'], $easydash_input['user'], $easydash_input['email'], true, '', wp_slash( $easydash_input['password'] ) );
}
update_option( 'blogname', $easydash_input['title'] );
update_option( 'timezone_string', 'UTC' );
global $wp_rewrite;
$wp_rewrite->set_permalink_structure( '/%postname%/' );
flush_rewrite_rules( false );
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( array( 'version' => get_bloginfo( 'version' ) ) ) );
