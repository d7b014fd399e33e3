<?php
/* The driver that lets WordPress use SQLite: it translates MySQL's statements and knows the types of MySQL's columns. */

/** Where the integration keeps it. */
const EASYDASH_DRIVER = '/wordpress/wp-content/mu-plugins/sqlite-database-integration/wp-includes/database/load.php';
/** Tables of the driver and of SQLite. */
const EASYDASH_INTERNAL = '/^(?:_wp_sqlite_|sqlite_|_mysql_)/i';

/** Opens a database by it. */
function easydash_driver( $file ) {
	if ( ! is_file( EASYDASH_DRIVER ) ) {
		throw new RuntimeException( 'The SQLite integration of the site is missing.' );
	}
	require_once EASYDASH_DRIVER;
	if ( ! class_exists( 'WP_MySQL_On_SQLite' ) ) {
		throw new RuntimeException( 'The SQLite integration of the site is too old.' );
	}
	return new WP_MySQL_On_SQLite( "mysql-on-sqlite:path=$file;dbname=wordpress", null, null, array( 'sqlite_journal_mode' => 'DELETE' ) );
}

/** Whether the disk, or the quota of the site, refused a write: that says nothing about what was to be written. */
function easydash_is_unwritten( $error ) {
	for ( ; null !== $error; $error = $error->getPrevious() ) {
		/* SQLite calls a write that the quota refuses an I/O error, and can't open a file that it can't make. https://www.sqlite.org/rescode.html */
		if ( $error instanceof PDOException && in_array( $error->errorInfo[1] ?? 0, array( 10, 13, 14 ), true ) ) {
			return true;
		}
		/* Of MySQL and MariaDB: a file could not be written, the disk is full, a table is full. */
		if ( $error instanceof mysqli_sql_exception && in_array( $error->getCode(), array( 3, 1021, 1026, 1114 ), true ) ) {
			return true;
		}
	}
	return false;
}

/** Quotes a name for SQLite. */
function easydash_name( $name ) {
	return '"' . str_replace( '"', '""', $name ) . '"';
}

/** Names of the tables of WordPress. */
function easydash_tables( $pdo ) {
	$names = $pdo->query( "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name" )->fetchAll( PDO::FETCH_COLUMN );
	return array_values(
		array_filter(
			$names,
			function ( $name ) {
				return ! preg_match( EASYDASH_INTERNAL, $name );
			}
		)
	);
}

/** A message for a result, on one line. */
function easydash_line( $text, $length = 200 ) {
	return mb_substr( trim( preg_replace( '/[\x00-\x1f\x7f]+/', ' ', mb_scrub( substr( (string) $text, 0, 2000 ), 'UTF-8' ) ) ), 0, $length, 'UTF-8' );
}
