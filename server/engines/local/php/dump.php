<?php
/*
 * Writes the database of WordPress as SQL for MySQL and MariaDB. No code of the site runs but its SQLite driver, and the
 * database is read from a copy that has the state of one moment.
 * Input: do (begin, go, end, prepare: for a dump that is written elsewhere), after (table, row; or null at the start).
 * Result: after (null at the end), rows (of tables in this run), skipped, problem; `begin` and `prepare` also say the prefix of the tables.
 */
require '/internal/easydash/driver.php';

final class Easydash_Dump {
	const DATABASE = '/wordpress/wp-content/database/.ht.sqlite';
	/* Hidden names are never served. */
	const COPY = '/wordpress/wp-content/database/.ht.easydash-export.sqlite';
	const DUMP = '/wordpress/wp-content/database/.ht.easydash-export.sql';
	/** Bytes of a statement: below what servers accept by default, unless one row is larger. */
	const STATEMENT = 500000;
	/** Rows read at once. */
	const BATCH = 100;
	const SECONDS    = 20;
	const MAX_TABLES = 500;
	/** Not known to MySQL 5.7 and MariaDB. */
	const COLLATION = '/\butf8mb4_0900_\w+/';

	public $rows    = array();
	public $skipped = array();
	private $driver;
	private $pdo;
	private $out;

	/** Copies the database in a state that is complete, and begins the dump. Returns a problem, or null. */
	public function begin() {
		$this->end();
		if ( ! is_file( self::DATABASE ) ) {
			return 'The site has no database.';
		}
		$pdo = new PDO( 'sqlite:' . self::DATABASE, null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 10 ) );
		/* Completes what a killed process left in its journal, and keeps everybody out. */
		$pdo->exec( 'BEGIN EXCLUSIVE' );
		$is_copied = @copy( self::DATABASE, self::COPY ) && filesize( self::COPY ) === filesize( self::DATABASE );
		$pdo->exec( 'ROLLBACK' );
		if ( ! $is_copied ) {
			$this->end();
			return 'no room';
		}
		$this->out = @fopen( self::DUMP, 'wb' );
		$this->write(
			"-- A database of WordPress, exported by Easydash. For MySQL 5.7 and MariaDB 10.3 or newer.\n\n" .
			"/*!40101 SET NAMES utf8mb4 */;\n/*!40014 SET FOREIGN_KEY_CHECKS=0 */;\n" .
			"/*!40101 SET SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;\n/*!40103 SET TIME_ZONE='+00:00' */;\n"
		);
		fclose( $this->out );
		return null;
	}

	/** Removes what an export left. */
	public function end() {
		foreach ( array( self::COPY, self::COPY . '-journal', self::DUMP ) as $file ) {
			if ( file_exists( $file ) ) {
				unlink( $file );
			}
		}
	}

	/** Goes on with the dump until the time is over. Returns where to go on; null at the end. */
	public function go( $after ) {
		$until        = microtime( true ) + self::SECONDS;
		$this->driver = easydash_driver( self::COPY );
		$this->pdo    = $this->driver->get_sqlite_pdo();
		$this->out    = @fopen( self::DUMP, 'ab' );
		$tables       = easydash_tables( $this->pdo );
		if ( count( $tables ) > self::MAX_TABLES ) {
			throw new RuntimeException( 'The database has more than ' . self::MAX_TABLES . ' tables.' );
		}
		foreach ( $tables as $table ) {
			$order = null === $after ? 1 : strcmp( $table, $after['table'] );
			if ( $order < 0 ) {
				continue;
			}
			$row = 0 === $order ? $after['row'] : null;
			if ( null === $row ) {
				if ( ! $this->structure( $table ) ) {
					continue;
				}
				$this->rows[ $table ] = 0;
				$row                  = PHP_INT_MIN;
			}
			$columns = $this->columns( $table );
			while ( null !== $row ) {
				if ( microtime( true ) > $until ) {
					fclose( $this->out );
					return array( 'table' => $table, 'row' => $row );
				}
				$row = $this->batch( $table, $columns, $row );
			}
		}
		$this->write( "\n-- End of the dump.\n" );
		fclose( $this->out );
		return null;
	}

	/** Writes how MySQL makes the table. False if it is none of WordPress's kind. */
	private function structure( $table ) {
		try {
			$found = $this->driver->query( 'SHOW CREATE TABLE ' . self::identifier( $table ) )->fetch( PDO::FETCH_NUM );
		} catch ( Throwable $error ) {
			if ( easydash_is_unwritten( $error ) ) {
				throw $error;
			}
			$found = false;
		}
		if ( ! is_array( $found ) || ! isset( $found[1] ) ) {
			$this->skipped[] = easydash_line( $table, 100 );
			return false;
		}
		$create = preg_replace( self::COLLATION, 'utf8mb4_unicode_520_ci', $found[1] );
		$this->write( "\nDROP TABLE IF EXISTS " . self::identifier( $table ) . ";\n" . $create . ";\n" );
		return true;
	}

	/** Names of a table's columns, and whether each holds bytes. */
	private function columns( $table ) {
		$columns = array();
		foreach ( $this->pdo->query( 'PRAGMA table_info(' . easydash_name( $table ) . ')' ) as $column ) {
			$columns[ $column['name'] ] = 0 === strcasecmp( $column['type'], 'BLOB' );
		}
		return $columns;
	}

	/** Some rows of a table after one. Returns the last one; null if there are no more. */
	private function batch( $table, $columns, $row ) {
		$names = array_map( 'easydash_name', array_keys( $columns ) );
		$id    = current( array_diff( array( 'rowid', '_rowid_', 'oid' ), array_map( 'strtolower', array_keys( $columns ) ) ) );
		if ( false === $id ) {
			$this->skipped[] = easydash_line( $table, 100 );
			return null;
		}
		$query = $this->pdo->prepare(
			"SELECT $id, " . implode( ', ', $names ) . ' FROM ' . easydash_name( $table ) . " WHERE $id > ? ORDER BY $id LIMIT " . self::BATCH
		);
		$query->bindValue( 1, $row, PDO::PARAM_INT );
		$query->execute();
		$blobs  = array_values( $columns );
		$insert = 'INSERT INTO ' . self::identifier( $table ) . ' (' . implode( ', ', array_map( array( self::class, 'identifier' ), array_keys( $columns ) ) ) . ') VALUES';
		$text   = '';
		$count  = 0;
		$last   = null;
		while ( $values = $query->fetch( PDO::FETCH_NUM ) ) {
			$last = (int) array_shift( $values );
			$out  = array();
			foreach ( $values as $number => $value ) {
				$out[] = self::literal( $value, $blobs[ $number ] );
			}
			$text .= ( '' === $text ? "$insert\n" : ",\n" ) . '(' . implode( ',', $out ) . ')';
			++$count;
			if ( strlen( $text ) > self::STATEMENT ) {
				$this->write( "$text;\n" );
				$text = '';
			}
		}
		if ( '' !== $text ) {
			$this->write( "$text;\n" );
		}
		$this->rows[ $table ] = ( $this->rows[ $table ] ?? 0 ) + $count;
		return $count < self::BATCH ? null : $last;
	}

	/** A value as MySQL reads it. */
	private static function literal( $value, $is_blob ) {
		if ( null === $value ) {
			return 'NULL';
		}
		if ( is_int( $value ) || is_float( $value ) ) {
			return is_float( $value ) && ! is_finite( $value ) ? 'NULL' : var_export( $value, true );
		}
		$value = (string) $value;
		if ( $is_blob && '' !== $value ) {
			return '0x' . bin2hex( $value );
		}
		return "'" . strtr( $value, array( '\\' => '\\\\', "'" => "\\'", "\0" => '\\0', "\n" => '\\n', "\r" => '\\r', "\x1a" => '\\Z' ) ) . "'";
	}

	private static function identifier( $name ) {
		return '`' . str_replace( '`', '``', $name ) . '`';
	}

	private function write( $text ) {
		if ( ! $this->out || strlen( $text ) !== @fwrite( $this->out, $text ) ) {
			throw new RuntimeException( 'no room' );
		}
	}
}

/** The prefix of the tables, from the configuration. */
function easydash_prefix() {
	$config = '/wordpress/wp-config.php';
	$text   = is_file( $config ) ? file_get_contents( $config, false, null, 0, 1000000 ) : '';
	return preg_match( '/^[ \t]{0,20}\$table_prefix\s{0,20}=\s{0,20}([\'"])([A-Za-z0-9_]{1,40})\1/m', $text, $found ) ? $found[2] : 'wp_';
}

ini_set( 'memory_limit', '512M' );
$input   = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$dump    = new Easydash_Dump();
$result  = array( 'after' => null, 'problem' => null );
try {
	if ( 'begin' === $input['do'] ) {
		$result['problem'] = $dump->begin();
		$result['prefix']  = easydash_prefix();
	} elseif ( 'go' === $input['do'] ) {
		$result['after'] = $dump->go( $input['after'] );
	} elseif ( 'end' === $input['do'] ) {
		$dump->end();
	} else {
		$dump->end();
		$result['prefix'] = easydash_prefix();
	}
} catch ( Throwable $error ) {
	$result['problem'] = easydash_is_unwritten( $error ) ? 'no room' : easydash_line( $error->getMessage() );
}
$result['rows'] = array();
foreach ( $dump->rows as $table => $rows ) {
	$result['rows'][] = array( easydash_line( $table, 100 ), $rows );
}
$result['skipped'] = array_slice( $dump->skipped, 0, 50 );
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $result, JSON_INVALID_UTF8_SUBSTITUTE ) );
