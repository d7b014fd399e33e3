<?php
/*
 * Reads and changes settings of WordPress. Input: changes and expected (name => value), or nothing to read only; operation, for which
 * the rows before are kept for `options-undo.php`.
 * Result: settings (values, timezones, languages, pages), conflicts, refused.
 */
/* Before WordPress loads: it adds slashes to everything in $_SERVER. */
$easydash_input  = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$easydash_result = $_SERVER['EASYDASH_RESULT'];
require '/wordpress/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/admin.php';
require '/internal/easydash/forget-options.php';

/** A text of the site, of limited length: an option can hold anything. */
function easydash_text( $value, $length = 500 ) {
	return mb_substr( is_scalar( $value ) ? (string) $value : '', 0, $length );
}

function easydash_timezone() {
	$name = easydash_text( get_option( 'timezone_string' ) );
	if ( '' !== $name ) {
		return $name;
	}
	$offset = (float) get_option( 'gmt_offset' );
	return 0.0 === $offset ? 'UTC' : 'UTC' . ( $offset > 0 ? '+' : '' ) . $offset;
}

function easydash_values() {
	easydash_forget_options( array( 'blogname', 'blogdescription', 'timezone_string', 'gmt_offset', 'WPLANG', 'blog_public', 'permalink_structure', 'admin_email', 'show_on_front', 'page_on_front' ) );
	$locale = get_option( 'WPLANG' );
	return array(
		'title'          => easydash_text( wp_specialchars_decode( (string) get_option( 'blogname' ), ENT_QUOTES ) ),
		'tagline'        => easydash_text( wp_specialchars_decode( (string) get_option( 'blogdescription' ), ENT_QUOTES ) ),
		'timezone'       => easydash_timezone(),
		'language'       => $locale ? easydash_text( $locale ) : 'en_US',
		'search_engines' => get_option( 'blog_public' ) ? 1 : 0,
		'permalinks'     => easydash_text( get_option( 'permalink_structure' ) ),
		'admin_email'    => easydash_text( get_option( 'admin_email' ) ),
		'start_page'     => 'page' === get_option( 'show_on_front' ) && get_option( 'page_on_front' ) ? easydash_text( get_option( 'page_on_front' ) ) : '',
	);
}

function easydash_save( $name, $value ) {
	switch ( $name ) {
		case 'title':
			update_option( 'blogname', $value );
			break;
		case 'tagline':
			update_option( 'blogdescription', $value );
			break;
		case 'timezone':
			if ( preg_match( '/^UTC([+-]\d{1,2}(?:\.\d{1,2})?)$/', $value, $match ) ) {
				update_option( 'timezone_string', '' );
				update_option( 'gmt_offset', $match[1] );
			} elseif ( in_array( $value, timezone_identifiers_list(), true ) ) {
				update_option( 'gmt_offset', 0 );
				update_option( 'timezone_string', $value );
			}
			break;
		case 'language':
			if ( 'en_US' === $value || in_array( $value, get_available_languages(), true ) ) {
				update_option( 'WPLANG', 'en_US' === $value ? '' : $value );
			}
			break;
		case 'search_engines':
			update_option( 'blog_public', $value ? 1 : 0 );
			break;
		case 'permalinks':
			global $wp_rewrite;
			$wp_rewrite->set_permalink_structure( $value );
			flush_rewrite_rules( false );
			break;
		case 'admin_email':
			update_option( 'admin_email', $value );
			break;
		case 'start_page':
			$page = '' === $value ? null : get_post( (int) $value );
			if ( '' === $value ) {
				update_option( 'show_on_front', 'posts' );
			} elseif ( $page && 'page' === $page->post_type && 'publish' === $page->post_status ) {
				update_option( 'page_on_front', $page->ID );
				update_option( 'show_on_front', 'page' );
			}
			break;
	}
}

/** Keeps the rows of the settings as they are; null: there is none. */
function easydash_remember_settings( $operation ) {
	global $wpdb;
	$names = array( 'blogname', 'blogdescription', 'timezone_string', 'gmt_offset', 'WPLANG', 'blog_public', 'permalink_structure', 'rewrite_rules', 'admin_email', 'show_on_front', 'page_on_front' );
	$rows  = array_fill_keys( $names, null );
	foreach ( $names as $name ) {
		$row = $wpdb->get_row( $wpdb->prepare( "SELECT option_value, autoload FROM $wpdb->options WHERE option_name = %s", $name ) );
		if ( $row ) {
			$rows[ $name ] = array(
				'value'    => $row->option_value,
				'autoload' => $row->autoload,
			);
		}
	}
	update_option(
		'easydash_before_settings',
		array(
			'operation' => $operation,
			'rows'      => $rows,
		),
		false
	);
}

function easydash_pages() {
	$pages = get_posts(
		array(
			'post_type'        => 'page',
			'post_status'      => 'publish',
			'orderby'          => 'title',
			'order'            => 'ASC',
			'numberposts'      => 200,
			'suppress_filters' => true,
		)
	);
	return array_map(
		fn( $page ) => array(
			'id'    => (string) $page->ID,
			'title' => easydash_text( wp_specialchars_decode( $page->post_title, ENT_QUOTES ), 100 ),
		),
		$pages
	);
}

$changes   = $easydash_input['changes'] ?? array();
$expected  = $easydash_input['expected'] ?? array();
$before    = easydash_values();
$conflicts = array();
$refused   = array();
foreach ( $changes as $name => $value ) {
	if ( ( $expected[ $name ] ?? null ) !== $before[ $name ] ) {
		$conflicts[] = $name;
	}
}
if ( ! $conflicts ) {
	if ( isset( $easydash_input['operation'] ) ) {
		easydash_remember_settings( $easydash_input['operation'] );
	}
	foreach ( $changes as $name => $value ) {
		easydash_save( $name, $value );
	}
}
$after = easydash_values();
foreach ( $changes as $name => $value ) {
	if ( ! $conflicts && $value !== $before[ $name ] && $after[ $name ] === $before[ $name ] ) {
		$refused[] = $name;
	}
}
file_put_contents(
	$easydash_result,
	json_encode(
		array(
			'settings'  => array(
				'values'    => $after,
				'timezones' => timezone_identifiers_list(),
				'languages' => array_slice( array_merge( array( 'en_US' ), get_available_languages() ), 0, 300 ),
				'pages'     => easydash_pages(),
			),
			'conflicts' => $conflicts,
			'refused'   => $refused,
		),
		JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE
	)
);
