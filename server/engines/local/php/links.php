<?php
/*
 * Finds pages of the site to look at, and links between them that may lead nowhere.
 * Result: pages (path, title), links, partial (not all posts and links were looked at), doubtful (path, where), title, login and email of
 * the first administrator, prefix of the tables, home (its address), keys (how many secret keys of its own it has), constants (of wp-config.php
 * by name, as they are now).
 */
require '/internal/easydash/load.php';
require '/internal/easydash/members.php';

const EASYDASH_POSTS    = 300;
const EASYDASH_DOUBTFUL = 100;

/** Whether an address of this site surely leads somewhere. Archives, feeds and what plugins add are known by a request only. */
function easydash_leads( $path ) {
	$path = rawurldecode( $path );
	$file = '/wordpress' . $path;
	if ( false === strpos( $path, '..' ) && strlen( $path ) < 1000 && ( is_file( $file ) || is_dir( $file ) ) ) {
		return true;
	}
	if ( url_to_postid( home_url( $path ) ) ) {
		return true;
	}
	return false;
}

/** What the configuration defines, wherever in it, but what names a folder of this machine; its passwords and keys stay here. */
function easydash_constants() {
	$file = is_file( ABSPATH . 'wp-config.php' ) ? ABSPATH . 'wp-config.php' : dirname( ABSPATH ) . '/wp-config.php';
	$code = is_file( $file ) && function_exists( 'token_get_all' ) ? (string) file_get_contents( $file, false, null, 0, 500000 ) : '';
	$plain = function ( $token ) {
		return ! is_array( $token ) || ! in_array( $token[0], array( T_WHITESPACE, T_COMMENT, T_DOC_COMMENT ), true );
	};
	$tokens = '' === $code ? array() : array_values( array_filter( token_get_all( $code ), $plain ) );
	$found  = array();
	foreach ( $tokens as $at => $token ) {
		$name = $tokens[ $at + 2 ] ?? null;
		if ( ! is_array( $token ) || ! in_array( strtolower( $token[1] ), array( 'define', '\\define' ), true ) || ! is_array( $name ) || T_CONSTANT_ENCAPSED_STRING !== $name[0] ) {
			continue;
		}
		$name = substr( $name[1], 1, -1 );
		if ( preg_match( '/^(?:DB_\w*|(?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT))$/', $name ) ) {
			continue;
		}
		$value = defined( $name ) ? constant( $name ) : array();
		if ( is_string( $value ) && ( 0 === strpos( $value, ABSPATH ) || ! mb_check_encoding( $value, 'UTF-8' ) ) ) {
			continue;
		}
		if ( is_scalar( $value ) || null === $value ) {
			$found[ $name ] = $value;
		}
	}
	return (object) array_slice( $found, 0, 500 );
}

$easydash_posts = get_posts(
	array(
		'post_type'        => array( 'page', 'post' ),
		'post_status'      => 'publish',
		'numberposts'      => EASYDASH_POSTS,
		'orderby'          => 'ID',
		'order'            => 'DESC',
		'suppress_filters' => true,
		'has_password'     => false,
	)
);
$easydash_pages  = array();
$easydash_broken = array();
$easydash_seen   = array();
$easydash_until  = microtime( true ) + 15;
$easydash_cut    = count( $easydash_posts ) >= EASYDASH_POSTS;
$easydash_host   = preg_quote( preg_replace( '~^https?://~', '', home_url() ), '~' );
foreach ( $easydash_posts as $easydash_post ) {
	if ( microtime( true ) > $easydash_until ) {
		$easydash_cut = true;
		break;
	}
	if ( count( $easydash_pages ) < 4 ) {
		$easydash_path    = (string) wp_parse_url( get_permalink( $easydash_post ), PHP_URL_PATH );
		$easydash_query   = (string) wp_parse_url( get_permalink( $easydash_post ), PHP_URL_QUERY );
		$easydash_pages[] = array( substr( '' === $easydash_path ? '/' : $easydash_path, 0, 300 ) . ( '' === $easydash_query ? '' : "?$easydash_query" ), easydash_text( $easydash_post->post_title ) );
	}
	preg_match_all( '~\b(?:href|src)=["\'](?:https?://' . $easydash_host . ')?(/(?!/)[^"\'?\#<>\s]{0,500})~i', substr( $easydash_post->post_content, 0, 500000 ), $easydash_links );
	foreach ( array_slice( array_unique( $easydash_links[1] ), 0, 100 ) as $easydash_link ) {
		if ( isset( $easydash_seen[ $easydash_link ] ) ) {
			continue;
		}
		$easydash_seen[ $easydash_link ] = true;
		if ( easydash_leads( $easydash_link ) ) {
			continue;
		}
		if ( count( $easydash_broken ) >= EASYDASH_DOUBTFUL ) {
			$easydash_cut = true;
			unset( $easydash_seen[ $easydash_link ] );
		} else {
			$easydash_broken[] = array( easydash_text( $easydash_link, 150 ), easydash_text( $easydash_post->post_title, 100 ) );
		}
	}
}
$easydash_keys = array();
foreach ( array( 'AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE' ) as $easydash_name ) {
	foreach ( array( '_KEY', '_SALT' ) as $easydash_kind ) {
		$easydash_key = defined( $easydash_name . $easydash_kind ) ? (string) constant( $easydash_name . $easydash_kind ) : '';
		if ( strlen( $easydash_key ) >= 16 && 'put your unique phrase here' !== $easydash_key ) {
			$easydash_keys[ $easydash_key ] = true;
		}
	}
}
$easydash_admin = easydash_first_administrator();
easydash_result(
	array(
		'title'     => easydash_text( get_option( 'blogname' ) ),
		'login'     => $easydash_admin ? $easydash_admin->user_login : null,
		'email'     => $easydash_admin ? $easydash_admin->user_email : null,
		'pages'     => $easydash_pages,
		'links'     => count( $easydash_seen ),
		'partial'   => $easydash_cut,
		'doubtful'  => $easydash_broken,
		'prefix'    => easydash_text( $GLOBALS['wpdb']->base_prefix ),
		'home'      => easydash_text( home_url() ),
		'keys'      => count( $easydash_keys ),
		'constants' => easydash_constants(),
	)
);
