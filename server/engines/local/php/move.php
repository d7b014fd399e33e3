<?php
/*
 * Moves WordPress between SQLite and MySQL: compares the content of both, and changes the configuration. No code of the site
 * runs but its SQLite driver, and nobody else uses the site meanwhile.
 * Input: do (login, check, compare, use, configure, settled, back, clean, forget); login (database, user, password, host; null: that of the configuration);
 * to or from (sqlite or mysql); after (table).
 * Result: problem; of `login`: login (null: wp-config.php names none); of `compare`: tables (name, rows, same), after; of `settled`: database and user that WordPress gets.
 */
require '/internal/easydash/driver.php';
require '/internal/easydash/mysql.php';

final class Easydash_Move {
	const CONFIG  = '/wordpress/wp-config.php';
	const DROP_IN = '/wordpress/wp-content/db.php';
	const ASIDE   = '/wordpress/wp-content/mu-plugins/sqlite-database-integration/easydash-db.php';
	const FOLDER  = '/wordpress/wp-content/database';
	const SQLITE  = self::FOLDER . '/.ht.sqlite';
	/* Hidden names are never served. */
	const SAVED   = self::FOLDER . '/.ht.easydash-moved-config.php';
	const SECONDS = 15;
	const MAX_TABLES = 500;

	/** Throws unless `use` will be able to do its work. */
	public static function check( $to ) {
		easydash_config();
		if ( ! is_file( EASYDASH_DRIVER ) ) {
			throw new RuntimeException( 'The SQLite integration of the site is missing.' );
		}
		if ( 'mysql' === $to && ! is_file( self::DROP_IN ) ) {
			throw new RuntimeException( 'wp-content/db.php, which connects WordPress to SQLite, is missing.' );
		}
		if ( 'sqlite' === $to && is_file( self::DROP_IN ) ) {
			throw new RuntimeException( 'A plugin has put its own file wp-content/db.php there. Deactivate it first.' );
		}
		if ( 'sqlite' === $to && ! is_file( self::ASIDE ) ) {
			throw new RuntimeException( 'The file that connects WordPress to SQLite is missing.' );
		}
	}

	/** Changes the configuration and the drop-in. */
	public static function switch_to( $to, $login ) {
		$before = easydash_config();
		if ( ! is_file( self::SAVED ) && strlen( $before ) !== @file_put_contents( self::SAVED, $before ) ) {
			@unlink( self::SAVED );
			throw new RuntimeException( 'no room' );
		}
		self::configure( $login );
		self::drop_in( $to );
	}

	/** Changes what the configuration connects with. */
	public static function configure( $login ) {
		$after = easydash_config();
		foreach ( EASYDASH_LOGIN as $key => $name ) {
			$after = preg_replace_callback(
				easydash_definition( $name ),
				function ( $found ) use ( $login, $key ) {
					return $found[1] . "'" . $login[ $key ] . "'" . $found[4];
				},
				$after
			);
		}
		self::write( $after );
	}

	/** Goes back to what was before; does nothing if nothing was changed. */
	public static function back( $from ) {
		if ( is_file( self::SAVED ) ) {
			self::write( file_get_contents( self::SAVED ) );
			self::drop_in( $from );
			unlink( self::SAVED );
		}
		if ( 'mysql' === $from ) {
			self::remove_sqlite();
		}
	}

	/** Removes what the move left, and the database before. */
	public static function forget( $to ) {
		if ( is_file( self::SAVED ) ) {
			unlink( self::SAVED );
		}
		if ( 'mysql' === $to ) {
			self::remove_sqlite();
		}
	}

	/** Removes the dump that was imported. */
	public static function clean() {
		if ( file_exists( self::FOLDER . '/.ht.easydash-import.sql' ) ) {
			unlink( self::FOLDER . '/.ht.easydash-import.sql' );
		}
	}

	private static function write( $text ) {
		$fresh = self::CONFIG . '.easydash-new';
		if ( strlen( $text ) !== @file_put_contents( $fresh, $text ) ) {
			@unlink( $fresh );
			throw new RuntimeException( 'no room' );
		}
		@chmod( $fresh, fileperms( self::CONFIG ) & 0777 );
		if ( ! rename( $fresh, self::CONFIG ) ) {
			throw new RuntimeException( 'wp-config.php could not be replaced.' );
		}
		opcache_invalidate( self::CONFIG, true );
	}

	private static function drop_in( $to ) {
		list( $from, $into ) = 'mysql' === $to ? array( self::DROP_IN, self::ASIDE ) : array( self::ASIDE, self::DROP_IN );
		if ( is_file( $from ) && ! rename( $from, $into ) ) {
			throw new RuntimeException( 'wp-content/db.php could not be moved.' );
		}
		opcache_invalidate( self::DROP_IN, true );
	}

	private static function remove_sqlite() {
		foreach ( array( '', '-journal', '-wal', '-shm' ) as $end ) {
			if ( file_exists( self::SQLITE . $end ) ) {
				unlink( self::SQLITE . $end );
			}
		}
	}

	/** Compares tables until the time is over. */
	public static function compare( $login, $after ) {
		$until  = microtime( true ) + self::SECONDS;
		$driver = easydash_driver( self::SQLITE );
		$sqlite = $driver->get_sqlite_pdo();
		$mysql  = easydash_mysql( $login );
		$ours   = easydash_tables( $sqlite );
		$theirs = array_column( $mysql->query( "SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'" )->fetch_all(), 0 );
		if ( count( $ours ) > self::MAX_TABLES || count( $theirs ) > self::MAX_TABLES ) {
			throw new RuntimeException( 'The database has more than ' . self::MAX_TABLES . ' tables.' );
		}
		$all = array_values( array_unique( array_merge( $ours, $theirs ) ) );
		sort( $all, SORT_STRING );
		$tables = array();
		foreach ( $all as $table ) {
			if ( null !== $after && strcmp( $table, $after ) <= 0 ) {
				continue;
			}
			if ( microtime( true ) > $until ) {
				return array( 'tables' => $tables, 'after' => $after );
			}
			$in_both = in_array( $table, $ours, true ) && in_array( $table, $theirs, true );
			$one     = $in_both ? self::digest_sqlite( $sqlite, $table ) : null;
			$tables[] = array( easydash_line( $table, 100 ), $one['rows'] ?? 0, $in_both && self::digest_mysql( $mysql, $table ) === $one );
			$after   = $table;
		}
		return array( 'tables' => $tables, 'after' => null );
	}

	private static function digest_sqlite( $pdo, $table ) {
		return self::digest(
			$pdo->query( 'SELECT * FROM ' . easydash_name( $table ) ),
			function ( $result ) {
				$row = $result->fetch( PDO::FETCH_ASSOC );
				return false === $row ? null : $row;
			}
		);
	}

	private static function digest_mysql( $mysql, $table ) {
		$result = $mysql->query( 'SELECT * FROM ' . easydash_mysql_name( $table ), MYSQLI_USE_RESULT );
		$digest = self::digest(
			$result,
			function ( $result ) {
				return $result->fetch_assoc();
			}
		);
		$result->free();
		return $digest;
	}

	/** Number of rows, and a digest of their values that does not depend on their order. */
	private static function digest( $result, $next ) {
		$rows = 0;
		$sum  = str_repeat( "\0", 16 );
		while ( null !== ( $row = $next( $result ) ) ) {
			ksort( $row, SORT_STRING );
			$hash = hash_init( 'md5' );
			foreach ( $row as $name => $value ) {
				$text = self::canonical( $value );
				hash_update( $hash, strtolower( $name ) . "\0" . ( null === $text ? 'n' : strlen( $text ) . ':' . $text ) . "\0" );
			}
			$sum = self::add( $sum, hash_final( $hash, true ) );
			++$rows;
		}
		return array( 'rows' => $rows, 'sum' => bin2hex( $sum ) );
	}

	/** Adds two numbers of 16 bytes in parts of 2: equal rows count as often as there are of them, unlike with XOR. */
	private static function add( $one, $other ) {
		$sum = array();
		foreach ( array_map( null, unpack( 'v8', $one ), unpack( 'v8', $other ) ) as $parts ) {
			$sum[] = ( $parts[0] + $parts[1] ) & 0xffff;
		}
		return pack( 'v8', ...$sum );
	}

	/** A value as text: SQLite has numbers where MySQL has decimals with a fixed number of digits, or writes exponents otherwise. */
	private static function canonical( $value ) {
		if ( null === $value ) {
			return null;
		}
		$text = is_float( $value ) ? var_export( $value, true ) : (string) $value;
		if ( strlen( $text ) > 60 ) {
			return $text;
		}
		if ( preg_match( '/^-?\d+(?:\.\d+)?[eE][+-]?\d{1,3}$/', $text ) ) {
			return var_export( (float) $text, true );
		}
		if ( preg_match( '/^-?\d+\.\d+$/', $text ) ) {
			return rtrim( rtrim( $text, '0' ), '.' );
		}
		return $text;
	}
}

/**
 * Reads the configuration as PHP does, which may take the database from anywhere, but loads no WordPress: there is none below that
 * path. That is a fatal error, so the result is written at the end of the script.
 */
function easydash_settled() {
	ini_set( 'log_errors', '0' );
	ini_set( 'display_errors', '0' );
	register_shutdown_function(
		function () {
			$result = array( 'problem' => null );
			foreach ( array( 'database' => 'DB_NAME', 'user' => 'DB_USER' ) as $key => $name ) {
				$result[ $key ] = defined( $name ) && is_string( constant( $name ) ) ? substr( constant( $name ), 0, 100 ) : null;
			}
			file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $result, JSON_INVALID_UTF8_SUBSTITUTE ) );
		}
	);
	define( 'ABSPATH', '/internal/easydash/none/' );
	require Easydash_Move::CONFIG;
	exit;
}

ini_set( 'memory_limit', '512M' );
$easydash_input  = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$easydash_result = array( 'problem' => null );
if ( 'settled' === $easydash_input['do'] ) {
	easydash_settled();
}
try {
	switch ( $easydash_input['do'] ) {
		case 'login':
			try {
				$easydash_result['login'] = easydash_login();
			} catch ( RuntimeException $error ) {
				$easydash_result['login'] = null;
			}
			break;
		case 'check':
			Easydash_Move::check( $easydash_input['to'] );
			break;
		case 'compare':
			$easydash_result += Easydash_Move::compare( $easydash_input['login'] ?? easydash_login(), $easydash_input['after'] );
			break;
		case 'use':
			Easydash_Move::switch_to( $easydash_input['to'], $easydash_input['login'] );
			break;
		case 'configure':
			Easydash_Move::configure( $easydash_input['login'] );
			break;
		case 'back':
			Easydash_Move::back( $easydash_input['from'] );
			break;
		case 'clean':
			Easydash_Move::clean();
			break;
		default:
			Easydash_Move::forget( $easydash_input['to'] );
	}
} catch ( Throwable $error ) {
	$easydash_result['problem'] = easydash_line( $error->getMessage(), 300 );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $easydash_result, JSON_INVALID_UTF8_SUBSTITUTE ) );
