<?php
/*
 * Reads what the WordPress tab shows. Input: safe; since (UTC, as MySQL writes it; left out: changes are not counted). Result: see
 * `wordPressFacts` in shared/responses/wordpress.ts, without `broken`; with `since` also `changed`, see `contentSince`.
 */
require '/internal/easydash/load.php';
require '/internal/easydash/plugin-list.php';

/** Themes, at most 100. */
function easydash_themes() {
	$updates   = easydash_updates( 'themes' );
	$automatic = (array) get_site_option( 'auto_update_themes', array() );
	$current   = get_option( 'stylesheet' );
	$parent    = get_option( 'template' );
	$themes    = array();
	foreach ( array_slice( wp_get_themes( array( 'errors' => null ) ), 0, 100, true ) as $id => $theme ) {
		$themes[] = array(
			'id'          => easydash_text( $id ),
			'name'        => easydash_text( $theme->get( 'Name' ) ? $theme->get( 'Name' ) : $id ),
			'version'     => easydash_text( $theme->get( 'Version' ), 40 ),
			'author'      => easydash_text( $theme->get( 'Author' ), 100 ),
			'active'      => $id === $current,
			'in_use'      => $id === $current || $id === $parent,
			'network'     => is_multisite() && $theme->is_allowed( 'network' ),
			'parent'      => $theme->get_template() === $id ? null : easydash_text( $theme->get_template() ),
			'auto_update' => in_array( $id, $automatic, true ),
			'update'      => easydash_newer( $updates[ $id ] ?? '', (string) $theme->get( 'Version' ) ),
			'previous'    => easydash_previous( 'themes', $id ),
		);
	}
	return $themes;
}

/** Scheduled events in their order, at most 200. */
function easydash_events() {
	$events = array();
	$total  = 0;
	foreach ( (array) _get_cron_array() as $time => $hooks ) {
		foreach ( (array) $hooks as $hook => $runs ) {
			foreach ( (array) $runs as $key => $run ) {
				++$total;
				if ( count( $events ) < 200 ) {
					$events[] = array(
						'id'               => (int) $time . '|' . easydash_text( $key, 40 ) . '|' . easydash_text( $hook ),
						'hook'             => easydash_text( $hook ),
						'at'               => (int) $time,
						'interval_seconds' => empty( $run['schedule'] ) ? null : (int) ( $run['interval'] ?? 0 ),
						'schedule'         => empty( $run['schedule'] ) ? null : easydash_text( $run['schedule'] ),
					);
				}
			}
		}
	}
	return array(
		'total'  => $total,
		'paused' => (bool) get_option( 'easydash_cron_paused' ),
		'rows'   => $events,
	);
}

/** The sites of a network, at most 100; null for a single site. */
function easydash_sites() {
	if ( ! is_multisite() ) {
		return null;
	}
	$rows = array();
	foreach ( get_sites( array( 'number' => 100, 'orderby' => 'id' ) ) as $site ) {
		$rows[] = array(
			'id'    => (int) $site->blog_id,
			'title' => easydash_text( get_blog_option( $site->blog_id, 'blogname' ), 100 ),
			'path'  => easydash_text( $site->path, 120 ),
			'url'   => easydash_text( get_site_url( $site->blog_id ), 250 ),
			'main'  => is_main_site( $site->blog_id ),
			'state' => $site->deleted ? 'deleted' : ( $site->archived ? 'archived' : ( $site->spam ? 'spam' : 'live' ) ),
		);
	}
	return array(
		'total'      => (int) get_sites( array( 'count' => true ) ),
		'subdomains' => is_subdomain_install(),
		'rows'       => $rows,
	);
}

/** What a function counts of the site, by kind; of a network, on its first 100 sites together. */
function easydash_sums( $count_here ) {
	$counts = array();
	foreach ( is_multisite() ? get_sites( array( 'number' => 100, 'orderby' => 'id', 'fields' => 'ids' ) ) : array( 0 ) as $site ) {
		if ( $site ) {
			switch_to_blog( $site );
		}
		foreach ( $count_here() as $type => $count ) {
			$counts[ $type ] = ( $counts[ $type ] ?? 0 ) + $count;
		}
		if ( $site ) {
			restore_current_blog();
		}
	}
	return $counts;
}

/** Numbers of what the site holds, by kind. */
function easydash_counts() {
	global $wpdb;
	$counts         = easydash_sums( 'easydash_counts_here' );
	$counts['user'] = (int) $wpdb->get_var( "SELECT COUNT(*) FROM $wpdb->users" );
	return $counts;
}

/**
 * Numbers of what was added or changed since a time, whether or not the plugin of it runs. Posts are those of any type, but for uploads,
 * whose files are counted elsewhere, and what WordPress writes by itself.
 */
function easydash_changed( $since ) {
	global $wpdb;
	$changed          = easydash_sums(
		function () use ( $since ) {
			global $wpdb;
			$table = $wpdb->prefix . 'wc_orders';
			return array(
				'posts'    => easydash_number( "SELECT COUNT(*) FROM $wpdb->posts WHERE post_modified_gmt >= %s AND post_status <> 'auto-draft' AND post_type NOT IN ('revision', 'attachment', 'oembed_cache', 'customize_changeset', 'shop_order', 'shop_order_refund', 'shop_order_placehold')", $since ),
				/* WooCommerce keeps orders as posts, in a table of its own, or in both. */
				'orders'   => max(
					easydash_number( "SELECT COUNT(*) FROM $wpdb->posts WHERE post_modified_gmt >= %s AND post_type = 'shop_order' AND post_status NOT IN ('auto-draft', 'trash')", $since ),
					$wpdb->get_var( $wpdb->prepare( 'SHOW TABLES LIKE %s', $wpdb->esc_like( $table ) ) ) ? easydash_number( "SELECT COUNT(*) FROM $table WHERE date_updated_gmt >= %s AND type = 'shop_order' AND status NOT IN ('auto-draft', 'checkout-draft', 'trash')", $since ) : 0
				),
				'comments' => easydash_number( "SELECT COUNT(*) FROM $wpdb->comments WHERE comment_date_gmt >= %s AND comment_approved NOT IN ('spam', 'trash', 'post-trashed') AND comment_type NOT IN ('order_note', 'action_log', 'webhook_delivery')", $since ),
			);
		}
	);
	$changed['users'] = easydash_number( "SELECT COUNT(*) FROM $wpdb->users WHERE user_registered >= %s", $since );
	return $changed;
}

function easydash_number( $query, $since ) {
	global $wpdb;
	return (int) $wpdb->get_var( $wpdb->prepare( $query, $since ) );
}

/** Numbers of what one site holds, without users: all sites of a network have the same. */
function easydash_counts_here() {
	$counts = array();
	foreach ( array( 'post', 'page', 'attachment', 'product', 'shop_order' ) as $type ) {
		if ( post_type_exists( $type ) ) {
			$by_status       = (array) wp_count_posts( $type );
			$counts[ $type ] = (int) ( 'attachment' === $type ? ( $by_status['inherit'] ?? 0 ) : array_sum( $by_status ) - ( $by_status['auto-draft'] ?? 0 ) - ( $by_status['trash'] ?? 0 ) );
		}
	}
	$counts['comment'] = (int) wp_count_comments()->total_comments;
	return $counts;
}

/** The WordPress that core.php keeps for rolling back, or null. */
function easydash_previous_core() {
	$core  = WP_CONTENT_DIR . '/.easydash-previous/core';
	$text  = (string) @file_get_contents( "$core/kept/wp-includes/version.php", false, null, 0, 20000 );
	$about = json_decode( (string) @file_get_contents( "$core/kept.json", false, null, 0, 1000 ), true );
	if ( ! preg_match( '/\$wp_version\s*=\s*\'([\w.-]{1,40})\';/', $text, $match ) ) {
		return null;
	}
	return array(
		'version'  => $match[1],
		'at'       => max( 0, (int) ( $about['at'] ?? 0 ) ),
		'database' => is_file( "$core/kept.sqlite" ),
	);
}

$core           = get_site_transient( 'update_core' );
$offer          = is_array( $core->updates ?? null ) ? ( $core->updates[0] ?? null ) : null;
$easydash_facts = array(
	'version'   => easydash_text( $GLOBALS['wp_version'], 40 ),
	'update'    => is_object( $offer ) && 'upgrade' === ( $offer->response ?? '' ) ? easydash_newer( easydash_text( $offer->current ?? '', 40 ), $GLOBALS['wp_version'] ) : null,
	'previous'  => easydash_previous_core(),
	'multisite' => is_multisite(),
	'sites'     => easydash_sites(),
	'plugins'   => easydash_all_plugins(),
	'themes'    => easydash_themes(),
	'events'    => easydash_events(),
	'counts'    => easydash_counts(),
	'changed'   => isset( $easydash_input['since'] ) ? easydash_changed( $easydash_input['since'] ) : null,
	'roles'     => array_slice( array_map( 'easydash_text', wp_roles()->get_names() ), 0, 30, true ),
);
if ( strlen( json_encode( $easydash_facts ) ) > 80000 ) {
	$easydash_facts['plugins']        = easydash_shorten( $easydash_facts['plugins'] );
	$easydash_facts['events']['rows'] = array_slice( $easydash_facts['events']['rows'], 0, 50 );
}
easydash_result( $easydash_facts );
