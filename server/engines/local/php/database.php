<?php
/*
 * Keeps the state before a change beside the current one: the database of WordPress and its configuration. No code of the site
 * runs, and nobody else uses the site meanwhile.
 * Input: do (save, restore or forget), mysql (the database is kept elsewhere). Result: done, or problem.
 */
const EASYDASH_DATABASE = '/wordpress/wp-content/database/.ht.sqlite';
const EASYDASH_CONFIG   = '/wordpress/wp-config.php';
/* Hidden names are never served. */
const EASYDASH_SAVED = array(
	EASYDASH_DATABASE => '/wordpress/wp-content/database/.ht.easydash-saved.sqlite',
	EASYDASH_CONFIG   => '/wordpress/wp-content/database/.ht.easydash-saved-config.php',
);

/** Copies the database in a state that is complete, and the configuration. */
function easydash_save( $mysql ) {
	if ( $mysql ) {
		return easydash_save_config();
	}
	if ( ! is_file( EASYDASH_DATABASE ) ) {
		return null;
	}
	$pdo = new PDO( 'sqlite:' . EASYDASH_DATABASE, null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 10 ) );
	/* Completes what a killed process left in its journal, and keeps everybody out. */
	$pdo->exec( 'BEGIN EXCLUSIVE' );
	foreach ( EASYDASH_SAVED as $file => $saved ) {
		if ( ! is_file( $file ) ) {
			continue;
		}
		if ( file_exists( $saved ) ) {
			unlink( $saved );
		}
		if ( ! @copy( $file, $saved ) || filesize( $saved ) !== filesize( $file ) ) {
			easydash_forget();
			return 'no room';
		}
	}
	$pdo->exec( 'ROLLBACK' );
	return null;
}

/** Copies the configuration of a site without SQLite. */
function easydash_save_config() {
	$saved = EASYDASH_SAVED[ EASYDASH_CONFIG ];
	if ( ! is_dir( dirname( $saved ) ) ) {
		mkdir( dirname( $saved ), 0755, true );
	}
	easydash_forget();
	if ( is_file( EASYDASH_CONFIG ) && ( ! @copy( EASYDASH_CONFIG, $saved ) || filesize( $saved ) !== filesize( EASYDASH_CONFIG ) ) ) {
		easydash_forget();
		return 'no room';
	}
	return null;
}

/** Puts back what was saved. What is not there was put back before. */
function easydash_restore() {
	foreach ( EASYDASH_SAVED as $file => $saved ) {
		if ( ! is_file( $saved ) ) {
			continue;
		}
		if ( EASYDASH_DATABASE === $file ) {
			/* A journal of the state that is given up must not be applied to the one that comes back. */
			foreach ( array( '-journal', '-wal', '-shm' ) as $end ) {
				if ( file_exists( $file . $end ) ) {
					unlink( $file . $end );
				}
			}
		} else {
			@chmod( $saved, fileperms( $file ) & 0777 );
		}
		if ( ! @rename( $saved, $file ) ) {
			return 'not restored';
		}
		if ( function_exists( 'opcache_invalidate' ) ) {
			opcache_invalidate( $file, true );
		}
	}
	return null;
}

function easydash_forget() {
	foreach ( EASYDASH_SAVED as $saved ) {
		if ( file_exists( $saved ) ) {
			unlink( $saved );
		}
	}
	return null;
}

$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
try {
	$easydash_problem = array( 'save' => 'easydash_save', 'restore' => 'easydash_restore', 'forget' => 'easydash_forget' )[ $easydash_input['do'] ]( ! empty( $easydash_input['mysql'] ) );
} catch ( Throwable $error ) {
	$easydash_problem = substr( $error->getMessage(), 0, 300 );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( array( 'problem' => $easydash_problem ), JSON_INVALID_UTF8_SUBSTITUTE ) );
