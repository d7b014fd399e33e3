<?php
/*
 * Writes what can be merged of a site's MySQL database into an SQLite file, in which it is compared with others. Values are as a
 * dump has them, so copies of one database are the same. Runs as the user of the site's database; no code of the site runs.
 * Input: file (name), after (null at the start), seconds. Result: after (null at the end), or problem.
 */
require '/internal/easydash/mysql.php';
require '/internal/easydash/merge-rules.php';

final class Easydash_Snapshot {
	const FOLDER      = '/wordpress/wp-content/database/';
	const MAX_TABLES  = 1000;
	const MAX_COLUMNS = 250;
	/** Rows that are read at once, where they have an order. */
	const ROWS = 1000;
	/** The statement that makes each table; no table of a site has that name. */
	const STRUCTURE = '_mysql_structure';
	const NUMBERS   = array( 'tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'year' );
	const BYTES     = array( 'binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob', 'geometry', 'point', 'linestring', 'polygon', 'multipoint', 'multilinestring', 'multipolygon', 'geometrycollection', 'geomcollection' );
	/** Columns of keys by whose values rows can be visited in order. */
	const ORDERED = array( 'tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'year', 'decimal', 'char', 'varchar', 'binary', 'varbinary', 'date', 'time', 'datetime', 'timestamp' );

	private $mysql;
	private $pdo;
	private $rules;
	private $until;

	public function __construct( $file, $until ) {
		$this->until = $until;
		$this->rules = new Easydash_Merge_Rules();
		$this->mysql = easydash_mysql( easydash_login() );
		/* As dumps are written. */
		$this->mysql->query( "SET SESSION sql_mode = '', time_zone = '+00:00'" );
		if ( ! is_dir( self::FOLDER ) ) {
			mkdir( self::FOLDER, 0755 );
		}
		$this->pdo = new PDO( 'sqlite:' . self::FOLDER . $file, null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION ) );
		/* One that was cut off is written anew. */
		$this->pdo->exec( 'PRAGMA journal_mode = OFF' );
		$this->pdo->exec( 'PRAGMA synchronous = OFF' );
	}

	/** Writes until the time is over. Returns where to go on; null at the end. */
	public function run( $after ) {
		$this->pdo->beginTransaction();
		if ( null === $after ) {
			$this->pdo->exec( 'CREATE TABLE ' . self::STRUCTURE . ' (name TEXT PRIMARY KEY, sql TEXT)' );
		}
		$next = $this->tables( $after );
		$this->pdo->commit();
		return $next;
	}

	private function tables( $after ) {
		$tables = array_column( $this->mysql->query( "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'" )->fetch_all(), 0 );
		if ( count( $tables ) > self::MAX_TABLES ) {
			throw new RuntimeException( 'The database has more than ' . self::MAX_TABLES . ' tables.' );
		}
		/* In an order that does not depend on a collation. */
		sort( $tables, SORT_STRING );
		foreach ( $tables as $table ) {
			$order = null === $after ? 1 : strcmp( $table, $after['table'] );
			if ( $order < 0 || null === $this->rules->table( $table, array() ) ) {
				continue;
			}
			if ( microtime( true ) > $this->until ) {
				return 0 === $order ? $after : array( 'table' => $table, 'row' => null );
			}
			$row = $this->table( $table, 0 === $order ? $after['row'] : null );
			if ( null !== $row ) {
				return array( 'table' => $table, 'row' => $row );
			}
		}
		return null;
	}

	/** Writes rows of a table after one (values of its key as hexadecimal digits). Returns the last one; null if there are no more. */
	private function table( $table, $row ) {
		list( $columns, $primary ) = $this->describe( $table );
		$rule = $this->rules->table( $table, $primary );
		if ( null === $row ) {
			$this->create( $table, $columns, $primary );
		}
		/* What has no key stays as it is on either side: it is enough that it is there. */
		if ( ! $rule['key'] || array_diff( $rule['key'], array_keys( $columns ) ) || count( $columns ) > self::MAX_COLUMNS ) {
			return null;
		}
		$is_ordered = $primary && ! array_diff( array_map( fn( $name ) => $columns[ $name ]['type'] ?? '', $primary ), self::ORDERED );
		$next       = $this->rows( $table, $columns, $is_ordered ? $primary : array(), $row );
		if ( null === $next ) {
			$this->index( $table, $primary, $rule );
		}
		return $next;
	}

	/** Columns that are stored (name => type in both databases, what SQLite says of it), and those of the primary key. */
	private function describe( $table ) {
		$of      = 'TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ' . $this->quote( $table );
		$primary = array_column( $this->mysql->query( "SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE $of AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX" )->fetch_all(), 0 );
		$columns = array();
		$rows    = $this->mysql->query( "SELECT COLUMN_NAME, LOWER(DATA_TYPE), COALESCE(COLLATION_NAME, ''), EXTRA FROM information_schema.COLUMNS WHERE $of AND COALESCE(GENERATION_EXPRESSION, '') = '' ORDER BY ORDINAL_POSITION" );
		foreach ( $rows->fetch_all() as list( $name, $type, $collation, $extra ) ) {
			if ( in_array( $type, self::NUMBERS, true ) || 'bit' === $type ) {
				/* Numbers that the database gives by itself. */
				$declared = array( $name ) === $primary && false !== stripos( $extra, 'auto_increment' ) ? 'INTEGER' : 'INT';
			} elseif ( in_array( $type, self::BYTES, true ) ) {
				$declared = 'BLOB';
			} else {
				$declared = 'TEXT' . ( preg_match( '/_ci$/i', $collation ) ? ' COLLATE NOCASE' : '' );
			}
			$columns[ $name ] = array( 'type' => $type, 'declared' => $declared );
		}
		return array( $columns, $primary );
	}

	private function create( $table, $columns, $primary ) {
		if ( ! $columns ) {
			return;
		}
		$parts = array();
		foreach ( $columns as $name => $column ) {
			$parts[] = self::name( (string) $name ) . ' ' . $column['declared'];
		}
		if ( $primary && ! array_diff( $primary, array_keys( $columns ) ) ) {
			$parts[] = 'PRIMARY KEY (' . implode( ', ', array_map( array( self::class, 'name' ), $primary ) ) . ')';
		}
		$this->pdo->exec( 'CREATE TABLE ' . self::name( $table ) . ' (' . implode( ', ', $parts ) . ')' );
		$sql = $this->mysql->query( 'SHOW CREATE TABLE ' . easydash_mysql_name( $table ) )->fetch_row()[1];
		$this->pdo->prepare( 'INSERT INTO ' . self::STRUCTURE . ' VALUES (?, ?)' )->execute( array( $table, $sql ) );
	}

	/** What comparing looks for besides the primary key. */
	private function index( $table, $primary, $rule ) {
		$wanted = array( $rule['key'] );
		if ( isset( $rule['owner'] ) ) {
			$wanted[] = array_values( array_filter( array( $rule['owner'][0], $rule['sub'] ?? null ) ) );
		}
		foreach ( $wanted as $number => $columns ) {
			if ( $columns !== $primary ) {
				$this->pdo->exec( 'CREATE INDEX ' . self::name( "{$table}_easydash_$number" ) . ' ON ' . self::name( $table ) . ' (' . implode( ', ', array_map( array( self::class, 'name' ), $columns ) ) . ')' );
			}
		}
	}

	/** Without a key in whose order they can be read, rows are read at once. */
	private function rows( $table, $columns, $keys, $row ) {
		$select = array();
		foreach ( $columns as $name => $column ) {
			$quoted   = easydash_mysql_name( (string) $name );
			$select[] = 'bit' === $column['type'] ? "$quoted + 0" : $quoted;
		}
		$names  = array_map( 'strval', array_keys( $columns ) );
		$places = array_map( fn( $key ) => array_search( $key, $names, true ), $keys );
		$sql    = 'SELECT ' . implode( ', ', $select ) . ' FROM ' . easydash_mysql_name( $table );
		$insert = $this->pdo->prepare(
			'INSERT INTO ' . self::name( $table ) . ' (' . implode( ', ', array_map( array( self::class, 'name' ), $names ) ) . ') VALUES (' . implode( ', ', array_fill( 0, count( $columns ), '?' ) ) . ')'
		);
		$types  = array_column( $columns, 'declared' );
		$order  = $keys ? ' ORDER BY ' . implode( ', ', array_map( 'easydash_mysql_name', $keys ) ) . ' LIMIT ' . self::ROWS : '';
		do {
			$where = $keys && null !== $row ? ' WHERE ' . $this->after( $columns, $keys, array_map( 'hex2bin', $row ) ) : '';
			/* Only one row at a time is in memory. What is left of a result is read before the next, so results are short. */
			$result = $this->mysql->query( $sql . $where . $order, MYSQLI_USE_RESULT );
			$count  = 0;
			while ( $values = $result->fetch_row() ) {
				foreach ( $values as $number => $value ) {
					$this->bind( $insert, $number + 1, $value, $types[ $number ] );
				}
				$insert->execute();
				++$count;
				$row = array_map( fn( $place ) => bin2hex( (string) $values[ $place ] ), $places );
			}
			$result->free();
			if ( ! $keys || $count < self::ROWS ) {
				return null;
			}
		} while ( microtime( true ) <= $this->until );
		return $row;
	}

	private function bind( $insert, $place, $value, $declared ) {
		if ( null === $value ) {
			$insert->bindValue( $place, null, PDO::PARAM_NULL );
		} elseif ( 'BLOB' === $declared ) {
			$insert->bindValue( $place, $value, PDO::PARAM_LOB );
		} elseif ( 0 !== strpos( $declared, 'INT' ) ) {
			$insert->bindValue( $place, $value, PDO::PARAM_STR );
		} elseif ( (string) (int) $value === (string) $value ) {
			$insert->bindValue( $place, (int) $value, PDO::PARAM_INT );
		} else {
			/* SQLite would round a number that is larger than its own; bytes stay as they are. */
			$insert->bindValue( $place, (string) $value, PDO::PARAM_LOB );
		}
	}

	/** Rows behind one, in a form for which MySQL uses the index. */
	private function after( $columns, $keys, $row ) {
		$any  = array();
		$same = array();
		foreach ( $keys as $number => $key ) {
			$value  = $this->literal( $columns[ $key ], $row[ $number ] ?? '' );
			$name   = easydash_mysql_name( $key );
			$any[]  = implode( ' AND ', array_merge( $same, array( "$name > $value" ) ) );
			$same[] = "$name = $value";
		}
		return '((' . implode( ') OR (', $any ) . '))';
	}

	private function literal( $column, $value ) {
		if ( 'BLOB' === $column['declared'] ) {
			return '' === $value ? "''" : '0x' . bin2hex( $value );
		}
		$is_number = 'decimal' === $column['type'] || in_array( $column['type'], self::NUMBERS, true );
		return $is_number && preg_match( '/^-?\d{1,65}(?:\.\d{1,40})?$/D', $value ) ? $value : $this->quote( $value );
	}

	private function quote( $text ) {
		return "'" . $this->mysql->real_escape_string( $text ) . "'";
	}

	private static function name( $name ) {
		return '"' . str_replace( '"', '""', $name ) . '"';
	}
}

ini_set( 'memory_limit', '512M' );
$easydash_input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
try {
	$easydash_snapshot = new Easydash_Snapshot( $easydash_input['file'], microtime( true ) + $easydash_input['seconds'] );
	$easydash_result   = array( 'after' => $easydash_snapshot->run( $easydash_input['after'] ) );
} catch ( Throwable $error ) {
	$easydash_result = array( 'problem' => substr( $error->getMessage(), 0, 300 ) );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $easydash_result, JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES ) );
