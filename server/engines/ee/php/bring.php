<?php
/*
 * Puts a package where `package.php` finds what is staged, or a translation where `languages.php` does. Input: staged (name of its folder), and
 * archive (name of an uploaded file beside it), type, slug and perhaps version of a package of wordpress.org, language and version of a translation,
 * or core (version of WordPress, which goes to where `core.php` finds it). Result: done, or refused (unknown, offline or no_zip).
 */
require '/internal/easydash/load.php';
require_once ABSPATH . 'wp-admin/includes/file.php';
WP_Filesystem();

/** Ends the run without a package. */
function easydash_refuse( $code ) {
	easydash_result( array( 'refused' => $code ) );
	exit;
}

/** Downloads a package of wordpress.org, its newest version unless one is given; returns the path of the file. */
function easydash_download( $type, $slug, $version ) {
	if ( null !== $version ) {
		if ( ! preg_match( '/^[\w.-]{1,40}$/D', $version ) ) {
			easydash_refuse( 'unknown' );
		}
		return easydash_file( "$type/$slug.$version.zip" );
	}
	$about = wp_remote_get( "https://api.wordpress.org/{$type}s/info/1.2/?action={$type}_information&request%5Bslug%5D=" . rawurlencode( $slug ) );
	if ( 404 === wp_remote_retrieve_response_code( $about ) ) {
		easydash_refuse( 'unknown' );
	}
	$version = json_decode( wp_remote_retrieve_body( $about ), true )['version'] ?? null;
	if ( ! is_string( $version ) || ! preg_match( '/^[\w.-]{1,40}$/D', $version ) ) {
		easydash_refuse( 'offline' );
	}
	return easydash_file( "$type/$slug.$version.zip" );
}

/** Downloads a file of wordpress.org; returns its path. */
function easydash_file( $name ) {
	$file = download_url( "https://downloads.wordpress.org/$name", 120 );
	if ( is_wp_error( $file ) ) {
		easydash_refuse( 'offline' );
	}
	return $file;
}

/** Whether an archive expands to what a site could hold. What is not compressed as it says, WordPress refuses itself. */
function easydash_is_bounded( $file ) {
	$zip = new ZipArchive();
	if ( true !== $zip->open( $file, ZipArchive::RDONLY ) || $zip->numFiles > 20000 ) {
		return false;
	}
	$total = 0;
	for ( $number = 0; $number < $zip->numFiles; $number++ ) {
		$total += (int) ( $zip->statIndex( $number )['size'] ?? 0 );
	}
	$zip->close();
	return $total <= 536870912;
}

$easydash_home   = WP_CONTENT_DIR . '/.easydash-previous/staged';
$easydash_target = $easydash_home . '/' . basename( $easydash_input['staged'] );
wp_mkdir_p( $easydash_home );
if ( isset( $easydash_input['archive'] ) ) {
	$easydash_file = $easydash_home . '/' . basename( $easydash_input['archive'] );
} elseif ( isset( $easydash_input['core'] ) ) {
	$easydash_file = easydash_file( "release/wordpress-{$easydash_input['core']}-no-content.zip" );
} elseif ( isset( $easydash_input['language'] ) ) {
	$easydash_file = easydash_file( "translation/core/{$easydash_input['version']}/{$easydash_input['language']}.zip" );
} else {
	$easydash_file = easydash_download( $easydash_input['type'], $easydash_input['slug'], $easydash_input['version'] ?? null );
}
$easydash_done = easydash_is_bounded( $easydash_file ) ? unzip_file( $easydash_file, $easydash_target ) : new WP_Error( 'easydash' );
unlink( $easydash_file );
if ( is_wp_error( $easydash_done ) ) {
	$GLOBALS['wp_filesystem']->delete( $easydash_target, true );
	easydash_refuse( 'no_zip' );
}
if ( isset( $easydash_input['core'] ) ) {
	$easydash_core = WP_CONTENT_DIR . '/.easydash-previous/core';
	wp_mkdir_p( $easydash_core );
	$GLOBALS['wp_filesystem']->delete( "$easydash_core/incoming", true );
	$easydash_done = rename( "$easydash_target/wordpress", "$easydash_core/incoming" );
	$GLOBALS['wp_filesystem']->delete( $easydash_target, true );
	if ( ! $easydash_done ) {
		easydash_refuse( 'no_zip' );
	}
}
easydash_result( array( 'done' => true ) );
