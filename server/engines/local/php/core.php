<?php
/*
 * Exchanges the files of WordPress itself for those of another version, and takes that back. Loads nothing of the site; nobody else
 * uses it meanwhile. Input: act (about, clear, save, replace, undo or finish), mysql (the database is kept elsewhere), operation; for replace from_kept (the version before
 * comes back), database (its database, too) and gone (names at the top that the new version no longer has). Result: of about version,
 * database, php, kept, differs; of the others done; or problem.
 *
 * wp-content and wp-config.php are never touched. What is replaced is kept in a hidden folder that is neither served nor run. Before
 * anything is moved, it is written down what will be, so that a run that was cut off is completed or taken back by the next one.
 */
require '/internal/easydash/remove-tree.php';

const EASYDASH_HOME     = '/wordpress';
const EASYDASH_DATABASE = '/wordpress/wp-content/database/.ht.sqlite';
const EASYDASH_CORE     = '/wordpress/wp-content/.easydash-previous/core';
/* New files before they are in use, and files of the version before while nobody knows whether they come back. */
const EASYDASH_INCOMING = EASYDASH_CORE . '/incoming';
const EASYDASH_OUTGOING = EASYDASH_CORE . '/outgoing';
const EASYDASH_BEFORE   = EASYDASH_CORE . '/before.sqlite';
const EASYDASH_JOURNAL  = EASYDASH_CORE . '/change.json';
/* What is kept for rolling back. */
const EASYDASH_KEPT          = EASYDASH_CORE . '/kept';
const EASYDASH_KEPT_DATABASE = EASYDASH_CORE . '/kept.sqlite';
const EASYDASH_KEPT_ABOUT    = EASYDASH_CORE . '/kept.json';

$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );

function easydash_is_there( $path ) {
	return is_link( $path ) || file_exists( $path );
}

/** Moves or ends the run. */
function easydash_move( $from, $to ) {
	if ( ! is_dir( dirname( $to ) ) ) {
		mkdir( dirname( $to ), 0755, true );
	}
	if ( ! @rename( $from, $to ) ) {
		throw new Exception( 'could not move ' . basename( $from ) );
	}
}

function easydash_read( $path ) {
	$value = json_decode( (string) @file_get_contents( $path, false, null, 0, 65536 ), true );
	return is_array( $value ) ? $value : null;
}

function easydash_write( $path, $value ) {
	if ( ! is_dir( EASYDASH_CORE ) ) {
		mkdir( EASYDASH_CORE, 0755, true );
	}
	$text = json_encode( $value );
	if ( file_put_contents( "$path.new", $text ) !== strlen( $text ) || ! rename( "$path.new", $path ) ) {
		throw new Exception( 'no room' );
	}
}

/** Version of the WordPress in a folder, of its database, and the PHP it needs. */
function easydash_version_of( $folder ) {
	$text  = (string) @file_get_contents( "$folder/wp-includes/version.php", false, null, 0, 20000 );
	$found = array();
	foreach ( array( 'version' => 'wp_version', 'php' => 'required_php_version' ) as $key => $name ) {
		preg_match( '/\$' . $name . '\s*=\s*\'([\w.-]{1,40})\';/', $text, $match );
		$found[ $key ] = $match[1] ?? '';
	}
	preg_match( '/\$wp_db_version\s*=\s*(\d{1,9});/', $text, $match );
	return $found + array( 'database' => (int) ( $match[1] ?? 0 ) );
}

function easydash_about() {
	$kept  = is_dir( EASYDASH_KEPT ) ? easydash_version_of( EASYDASH_KEPT ) : null;
	$about = easydash_read( EASYDASH_KEPT_ABOUT );
	return easydash_version_of( EASYDASH_HOME ) + array(
		'differs' => is_dir( EASYDASH_OUTGOING ) && null !== easydash_read( EASYDASH_JOURNAL ) ? easydash_differs() : null,
		'kept' => null === $kept || '' === $kept['version'] ? null : array(
			'version'  => $kept['version'],
			'php'      => $kept['php'],
			'at'       => max( 0, (int) ( $about['at'] ?? 0 ) ),
			'database' => is_file( EASYDASH_KEPT_DATABASE ),
		),
	);
}

/** Copies the database in a state that is complete. */
function easydash_save() {
	if ( ! is_file( EASYDASH_DATABASE ) ) {
		return;
	}
	$pdo = new PDO( 'sqlite:' . EASYDASH_DATABASE, null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 10 ) );
	/* Completes what a killed process left in its journal, and keeps everybody out. */
	$pdo->exec( 'BEGIN EXCLUSIVE' );
	if ( ! is_dir( EASYDASH_CORE ) ) {
		mkdir( EASYDASH_CORE, 0755, true );
	}
	$new = EASYDASH_BEFORE . '.new';
	if ( ! @copy( EASYDASH_DATABASE, $new ) || filesize( $new ) !== filesize( EASYDASH_DATABASE ) ) {
		easydash_remove( $new );
		throw new Exception( 'no room' );
	}
	/* Complete or not there: an undo must never put back a part. */
	easydash_move( $new, EASYDASH_BEFORE );
	$pdo->exec( 'ROLLBACK' );
}

/** Puts a copy of the database into use. */
function easydash_use_database( $copy ) {
	/* A journal of the state that is given up must not be applied to the one that comes back. */
	foreach ( array( '-journal', '-wal', '-shm' ) as $end ) {
		easydash_remove( EASYDASH_DATABASE . $end );
	}
	easydash_move( $copy, EASYDASH_DATABASE );
}

/** What of WordPress itself a folder contains. */
function easydash_names( $folder ) {
	$names = array_diff( is_dir( $folder ) ? scandir( $folder ) : array(), array( '.', '..', 'wp-content', 'wp-config.php' ) );
	return array_values( array_slice( $names, 0, 200 ) );
}

/** Names that may be taken away because the new version does not have them. */
function easydash_gone( $given, $names ) {
	$gone = array();
	foreach ( array_slice( is_array( $given ) ? $given : array(), 0, 200 ) as $name ) {
		if ( is_string( $name ) && preg_match( '/^\w[\w.-]{0,99}$/', $name ) && ! in_array( $name, array( 'wp-content', 'wp-config.php' ), true ) ) {
			$gone[] = $name;
		}
	}
	return array_values( array_diff( array_unique( $gone ), $names ) );
}

function easydash_replace( $operation, $from_kept, $database, $gone ) {
	$journal = easydash_read( EASYDASH_JOURNAL );
	if ( null !== $journal && $journal['operation'] !== $operation ) {
		throw new Exception( 'another change is going on' );
	}
	if ( null === $journal ) {
		$source = $from_kept ? EASYDASH_KEPT : EASYDASH_INCOMING;
		$names  = easydash_names( $source );
		if ( ! in_array( 'wp-includes', $names, true ) || '' === easydash_version_of( $source )['version'] ) {
			throw new Exception( 'the new files are not complete' );
		}
		$journal = array(
			'operation' => $operation,
			'names'     => $names,
			'gone'      => easydash_gone( $from_kept ? ( easydash_read( EASYDASH_KEPT_ABOUT )['new'] ?? null ) : $gone, $names ),
			'from_kept' => $from_kept,
			'new'       => array_values(
				array_filter(
					$names,
					function ( $name ) {
						return ! easydash_is_there( EASYDASH_HOME . "/$name" );
					}
				)
			),
		);
		easydash_remove( EASYDASH_OUTGOING );
		easydash_write( EASYDASH_JOURNAL, $journal );
	}
	if ( $from_kept && ! is_dir( EASYDASH_INCOMING ) && is_dir( EASYDASH_KEPT ) ) {
		easydash_move( EASYDASH_KEPT, EASYDASH_INCOMING );
	}
	foreach ( $journal['names'] as $name ) {
		$used = EASYDASH_HOME . "/$name";
		$new  = EASYDASH_INCOMING . "/$name";
		$old  = EASYDASH_OUTGOING . "/$name";
		/* It is in place already. */
		if ( ! easydash_is_there( $new ) ) {
			continue;
		}
		if ( easydash_is_there( $used ) ) {
			easydash_is_there( $old ) ? easydash_remove( $used ) : easydash_move( $used, $old );
		}
		easydash_move( $new, $used );
	}
	foreach ( $journal['gone'] as $name ) {
		if ( easydash_is_there( EASYDASH_HOME . "/$name" ) && ! easydash_is_there( EASYDASH_OUTGOING . "/$name" ) ) {
			easydash_move( EASYDASH_HOME . "/$name", EASYDASH_OUTGOING . "/$name" );
		}
	}
	if ( $database && is_file( EASYDASH_KEPT_DATABASE ) && is_file( EASYDASH_BEFORE ) ) {
		/* A copy: if this is taken back, the kept one must be there as before. */
		$copy = EASYDASH_CORE . '/use.sqlite';
		if ( ! @copy( EASYDASH_KEPT_DATABASE, $copy ) || filesize( $copy ) !== filesize( EASYDASH_KEPT_DATABASE ) ) {
			easydash_remove( $copy );
			throw new Exception( 'no room' );
		}
		easydash_use_database( $copy );
	}
}

function easydash_undo() {
	$journal = easydash_read( EASYDASH_JOURNAL );
	if ( null !== $journal ) {
		foreach ( array_merge( $journal['names'], $journal['gone'] ) as $name ) {
			$used = EASYDASH_HOME . "/$name";
			$new  = EASYDASH_INCOMING . "/$name";
			$old  = EASYDASH_OUTGOING . "/$name";
			$back = easydash_is_there( $old );
			if ( $back || in_array( $name, $journal['new'], true ) ) {
				if ( easydash_is_there( $used ) ) {
					easydash_is_there( $new ) ? easydash_remove( $used ) : easydash_move( $used, $new );
				}
			}
			if ( $back ) {
				easydash_move( $old, $used );
			}
		}
		if ( $journal['from_kept'] && is_dir( EASYDASH_INCOMING ) && ! is_dir( EASYDASH_KEPT ) ) {
			easydash_move( EASYDASH_INCOMING, EASYDASH_KEPT );
		}
	}
	if ( is_file( EASYDASH_BEFORE ) ) {
		easydash_use_database( EASYDASH_BEFORE );
	}
	easydash_tidy();
}

function easydash_tidy() {
	foreach ( array( EASYDASH_INCOMING, EASYDASH_OUTGOING, EASYDASH_BEFORE . '.new', EASYDASH_CORE . '/use.sqlite', EASYDASH_JOURNAL ) as $path ) {
		easydash_remove( $path );
	}
}

/** Whether the version that is being replaced has another structure of the database. */
function easydash_differs() {
	return easydash_version_of( EASYDASH_OUTGOING )['database'] !== easydash_version_of( EASYDASH_HOME )['database'];
}

/** The new version stays; the one before is kept, with its database if the new one has another. */
function easydash_finish( $mysql ) {
	$journal = easydash_read( EASYDASH_JOURNAL );
	if ( null === $journal ) {
		return;
	}
	if ( is_dir( EASYDASH_OUTGOING ) ) {
		$differs = easydash_differs();
		easydash_remove( EASYDASH_KEPT );
		/* Of a SQLite database that the site had before. */
		if ( $mysql ) {
			easydash_remove( EASYDASH_KEPT_DATABASE );
		}
		/* Not there if a run before was cut off after this. */
		if ( is_file( EASYDASH_BEFORE ) ) {
			easydash_remove( EASYDASH_KEPT_DATABASE );
			$differs ? easydash_move( EASYDASH_BEFORE, EASYDASH_KEPT_DATABASE ) : easydash_remove( EASYDASH_BEFORE );
		}
		easydash_write( EASYDASH_KEPT_ABOUT, array( 'at' => time(), 'new' => $journal['new'] ) );
		easydash_move( EASYDASH_OUTGOING, EASYDASH_KEPT );
	}
	foreach ( array( EASYDASH_BEFORE, EASYDASH_INCOMING, EASYDASH_JOURNAL ) as $path ) {
		easydash_remove( $path );
	}
}

$easydash_result = array( 'done' => true );
try {
	switch ( $easydash_input['act'] ) {
		case 'about':
			$easydash_result = easydash_about();
			break;
		case 'save':
			easydash_save();
			break;
		case 'replace':
			easydash_replace( $easydash_input['operation'], ! empty( $easydash_input['from_kept'] ), ! empty( $easydash_input['database'] ), $easydash_input['gone'] ?? null );
			break;
		case 'undo':
			easydash_undo();
			break;
		case 'clear':
			/* What an earlier change left behind: it was finished, or had replaced nothing. */
			easydash_finish( ! empty( $easydash_input['mysql'] ) );
			easydash_tidy();
			easydash_remove( EASYDASH_BEFORE );
			break;
		default:
			easydash_finish( ! empty( $easydash_input['mysql'] ) );
	}
} catch ( Throwable $error ) {
	$easydash_result = array( 'problem' => substr( $error->getMessage(), 0, 300 ) );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $easydash_result, JSON_INVALID_UTF8_SUBSTITUTE ) );
