<?php
/* Plugins as they are shown, for scripts that list them; also works after SHORTINIT. */

/** New versions by plugin file or theme, as WordPress learned at its last check. */
function easydash_updates( $kind ) {
	$known   = get_site_transient( 'update_' . $kind );
	$updates = array();
	foreach ( (array) ( $known->response ?? array() ) as $id => $update ) {
		$update         = (array) $update;
		$updates[ $id ] = easydash_text( $update['new_version'] ?? '', 40 );
	}
	return $updates;
}

/** An offered version, or null: what WordPress learned at its last check may have been installed since. */
function easydash_newer( $offered, $installed ) {
	return is_string( $offered ) && version_compare( $offered, $installed, '>' ) ? $offered : null;
}

/** The version that package.php keeps of a plugin or theme, or null. */
function easydash_previous( $kind, $folder ) {
	$path = WP_CONTENT_DIR . "/.easydash-previous/$kind/$folder";
	if ( '.' === $folder || ! is_dir( $path ) ) {
		return null;
	}
	foreach ( 'themes' === $kind ? array( "$path/style.css" ) : array_slice( (array) glob( "$path/*.php" ), 0, 100 ) as $file ) {
		$data = get_file_data( $file, array( 'Name' => 'themes' === $kind ? 'Theme Name' : 'Plugin Name', 'Version' => 'Version' ) );
		if ( '' !== $data['Name'] ) {
			return easydash_text( $data['Version'], 40 );
		}
	}
	return null;
}

/** Plugins of one kind, at most 300. `managed`: ours, without which the site has no database or nobody signs in from Easydash. */
function easydash_plugins( $kind, $found, $updates ) {
	$automatic = (array) get_site_option( 'auto_update_plugins', array() );
	$plugins   = array();
	foreach ( array_slice( $found, 0, 300, true ) as $file => $data ) {
		$plugins[] = array(
			'id'          => easydash_text( $file ),
			'kind'        => $kind,
			'name'        => easydash_text( $data['Name'] ? $data['Name'] : $file ),
			'version'     => easydash_text( $data['Version'], 40 ),
			'author'      => easydash_text( $data['Author'], 100 ),
			'description' => easydash_text( $data['Description'], 300 ),
			'active'      => 'plugin' !== $kind || is_plugin_active( $file ),
			'network'     => 'plugin' === $kind && is_plugin_active_for_network( $file ),
			'auto_update' => in_array( $file, $automatic, true ),
			'update'      => easydash_newer( $updates[ $file ] ?? '', $data['Version'] ),
			'previous'    => 'plugin' === $kind ? easydash_previous( 'plugins', dirname( $file ) ) : null,
			'managed'     => ( 'drop_in' === $kind && 'db.php' === $file ) || ( 'must_use' === $kind && 'easydash-login.php' === $file ),
		);
	}
	return $plugins;
}

/** Must-use plugins, also while they are not loaded. */
function easydash_must_use() {
	$found = array();
	foreach ( (array) glob( WP_CONTENT_DIR . '/mu-plugins/*.php' ) as $path ) {
		$found[ basename( $path ) ] = get_plugin_data( $path, false, false );
	}
	return $found;
}

/** Plugins of all kinds. */
function easydash_all_plugins() {
	return array_merge(
		easydash_plugins( 'plugin', get_plugins(), easydash_updates( 'plugins' ) ),
		easydash_plugins( 'must_use', easydash_must_use(), array() ),
		easydash_plugins( 'drop_in', get_dropins(), array() )
	);
}

/** Plugins of a site with hundreds of them without what matters less, so that the result is not too long to be passed on. */
function easydash_shorten( $plugins ) {
	return array_map(
		function ( $plugin ) {
			return array_merge( $plugin, array( 'description' => '', 'author' => '' ) );
		},
		$plugins
	);
}
