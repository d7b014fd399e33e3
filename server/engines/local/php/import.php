<?php
/*
 * Imports an SQL dump of MySQL or MariaDB into the database of a new site. No code of the site runs but its SQLite driver, which
 * translates what makes tables; rows of plain values are written directly. Only statements about the tables of WordPress are
 * executed.
 * Input: dump (path), offset (0 begins anew), delimiter, prefix (null: found out; with `whole` empty: all tables, and the configuration stays), newPrefix (null: keeps it), active (plugins,
 * template and stylesheet; null: the dump says), keep (the database is there already), mysql (the database is MySQL; default: SQLite).
 * With reset, only removes the database.
 * Result: offset, delimiter, done, rows (of tables), failed (rows), defects, left (tables), urls, problem; without a prefix: prefixes.
 */
require '/internal/easydash/driver.php';
require '/internal/easydash/sql-reader.php';
require '/internal/easydash/sql-rows.php';
require '/internal/easydash/import-finish.php';
require '/internal/easydash/import-prefix.php';

class Easydash_Import {
	const DATABASE    = '/wordpress/wp-content/database/.ht.sqlite';
	const SECONDS     = 15;
	const MAX_DEFECTS = 40;
	/** Bytes of a statement that the driver translates: it needs much more memory than that. */
	const MAX_TRANSLATED = 1000000;
	/** What dump programs write in the place of a view until its tables are there. */
	const PLACEHOLDER = '/^CREATE\s+VIEW\s+`(?:[^`]|``){1,64}`\s+AS\s+SELECT\s+(?:NULL|1)\s+AS\s/i';
	/** Statements that say nothing about the content. */
	const HARMLESS = '/^(?:SET|LOCK|UNLOCK|START\s+TRANSACTION|BEGIN|COMMIT|USE|CREATE\s+DATABASE|DROP\s+(?:VIEW|TRIGGER)|ANALYZE|FLUSH)\b/i';
	const ABOUT    = '/^(?:CREATE\s+(?:TEMPORARY\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?|DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?|ALTER\s+TABLE\s+|TRUNCATE\s+(?:TABLE\s+)?|INSERT\s+(?:IGNORE\s+)?(?:INTO\s+)?|REPLACE\s+(?:INTO\s+)?|CREATE\s+(?:UNIQUE\s+)?(?:FULLTEXT\s+)?INDEX\s+\S{1,80}\s+ON\s+)(?:`((?:[^`]|``){1,64})`|([A-Za-z0-9_$]{1,64}+))(?!\s*\.)/i';

	public $rows    = array();
	public $failed  = 0;
	public $defects = array();
	public $left    = array();
	const UPDATE_IGNORE = 'UPDATE OR IGNORE';
	protected $prefix;
	protected $new_prefix;
	protected $pdo;
	private $driver;
	private $inserts = array();

	public function __construct( $prefix, $new_prefix ) {
		$this->prefix     = $prefix;
		$this->new_prefix = $new_prefix;
	}

	/** Removes what an earlier attempt left. */
	public static function begin() {
		foreach ( array( '', '-journal', '-wal', '-shm' ) as $end ) {
			if ( file_exists( self::DATABASE . $end ) ) {
				unlink( self::DATABASE . $end );
			}
		}
		if ( ! is_dir( dirname( self::DATABASE ) ) ) {
			mkdir( dirname( self::DATABASE ), 0755, true );
		}
	}

	/** Imports statements until the time is over. True at the end. */
	public function run( $reader ) {
		$until = microtime( true ) + self::SECONDS;
		$this->open();
		do {
			$sql = $reader->next();
			if ( null === $sql ) {
				$this->settle();
				return true;
			}
			$this->statement( $sql );
		} while ( microtime( true ) < $until );
		$this->settle();
		return false;
	}

	protected function open() {
		$this->driver = easydash_driver( self::DATABASE );
		$this->driver->query( "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'" );
		$this->pdo = $this->driver->get_sqlite_pdo();
		$this->pdo->exec( 'PRAGMA synchronous = OFF' );
		$this->pdo->exec( 'PRAGMA cache_size = -16000' );
	}

	protected function statement( $sql ) {
		if ( preg_match( '/^\/\*M?!\d{0,6}/', $sql, $found ) ) {
			$inner = trim( substr( $sql, strlen( $found[0] ) ) );
			/* Views, triggers and routines are the only content that dumps write like this. */
			if ( preg_match( '/\b(?:VIEW|TRIGGER|PROCEDURE|FUNCTION|EVENT)\b/i', substr( $inner, 0, 400 ) ) && preg_match( '/^CREATE\b/i', $inner ) && ! preg_match( self::PLACEHOLDER, $inner ) ) {
				$this->defect( 'not_imported', $inner );
			}
			return;
		}
		if ( preg_match( self::HARMLESS, $sql ) ) {
			return;
		}
		if ( ! preg_match( self::ABOUT, $sql, $found, PREG_OFFSET_CAPTURE ) ) {
			$this->defect( 'not_imported', $sql );
			return;
		}
		list( $name, $at ) = $found[2] ?? $found[1];
		$table             = str_replace( '``', '`', $name );
		if ( ! $this->is_own( $table ) ) {
			return;
		}
		if ( $this->new_prefix !== $this->prefix ) {
			list( $sql, $table ) = $this->renamed( $sql, $table, $at );
		}
		$this->execute( $sql, $table );
	}

	/** Executes a statement about a table of the site. */
	protected function execute( $sql, $table ) {
		$insert = Easydash_Sql_Rows::head( $sql );
		if ( null !== $insert && $this->insert( $sql, $insert ) ) {
			return;
		}
		$this->settle();
		if ( strlen( $sql ) > self::MAX_TRANSLATED ) {
			$this->defect( 'too_long', $sql );
			return;
		}
		try {
			$this->driver->query( $sql );
		} catch ( Throwable $error ) {
			if ( easydash_is_unwritten( $error ) ) {
				throw $error;
			}
			$this->defect( 'refused', $sql, $error->getMessage() );
		}
		/* Its columns may be other ones now. */
		$this->inserts = array();
		if ( null !== $insert ) {
			$this->rows[ $table ] = ( $this->rows[ $table ] ?? 0 ) + 1;
		}
	}

	/** Whether a table is one of the site; notes those that are not. */
	protected function is_own( $table ) {
		if ( 0 === strncmp( $table, $this->prefix, strlen( $this->prefix ) ) && ! preg_match( EASYDASH_INTERNAL, $table ) ) {
			return true;
		}
		$this->left[ substr( $table, 0, 64 ) ] = true;
		return false;
	}

	/** A statement about the table with its new name. */
	private function renamed( $sql, $table, $at ) {
		$length = strlen( $this->prefix );
		$sql    = substr_replace( $sql, $this->new_prefix, $at, $length );
		if ( 0 === strncasecmp( $sql, 'CREATE', 6 ) ) {
			$sql = preg_replace( '/(\bREFERENCES\s{1,20}`?)' . preg_quote( $this->prefix, '/' ) . '/i', '${1}' . $this->new_prefix, $sql );
		}
		return array( $sql, $this->new_prefix . substr( $table, $length ) );
	}

	/** Writes rows of plain values. False if they are not plain. */
	private function insert( $sql, $insert ) {
		$key      = $insert['table'] . "\0" . implode( "\0", $insert['columns'] ?? array() );
		$prepared = $this->inserts[ $key ] ?? ( $this->inserts[ $key ] = $this->prepare( $insert ) );
		if ( null === $prepared ) {
			return false;
		}
		list( $query, $blobs ) = $prepared;
		if ( ! $this->pdo->inTransaction() ) {
			$this->pdo->beginTransaction();
		}
		$table                = $insert['table'];
		$this->rows[ $table ] = $this->rows[ $table ] ?? 0;
		return Easydash_Sql_Rows::each(
			$sql,
			$insert['at'],
			function ( $values ) use ( $query, $blobs, $table ) {
				if ( count( $values ) !== count( $blobs ) ) {
					++$this->failed;
					$this->defect( 'row', $table, 'It has another number of values than the table has columns.' );
					return;
				}
				foreach ( $values as $number => $value ) {
					$type = null === $value ? PDO::PARAM_NULL : ( $blobs[ $number ] ? PDO::PARAM_LOB : PDO::PARAM_STR );
					$query->bindValue( $number + 1, $value, $type );
				}
				try {
					$query->execute();
					++$this->rows[ $table ];
				} catch ( PDOException $error ) {
					if ( easydash_is_unwritten( $error ) ) {
						throw $error;
					}
					++$this->failed;
					$this->defect( 'row', $table, $error->getMessage() );
				}
			}
		);
	}

	private function prepare( $insert ) {
		$known = array();
		foreach ( $this->pdo->query( 'PRAGMA table_info(' . easydash_name( $insert['table'] ) . ')' ) as $column ) {
			$known[ strtolower( $column['name'] ) ] = array( $column['name'], 0 === strcasecmp( $column['type'], 'BLOB' ) );
		}
		$names = $insert['columns'] ?? array_keys( $known );
		if ( ! $known || ! $names ) {
			return null;
		}
		$columns = array();
		$blobs   = array();
		foreach ( $names as $name ) {
			if ( ! isset( $known[ strtolower( $name ) ] ) ) {
				return null;
			}
			list( $columns[], $blobs[] ) = $known[ strtolower( $name ) ];
		}
		$query = $this->pdo->prepare(
			'INSERT INTO ' . easydash_name( $insert['table'] ) . ' (' . implode( ', ', array_map( 'easydash_name', $columns ) ) . ') VALUES (' . implode( ', ', array_fill( 0, count( $columns ), '?' ) ) . ')'
		);
		return array( $query, $blobs );
	}

	/** Addresses that the site had; null if there is no WordPress in the database. */
	public function urls() {
		try {
			return array_map(
				'easydash_line',
				$this->pdo->query(
					'SELECT option_value FROM ' . easydash_name( $this->new_prefix . 'options' ) . " WHERE option_name IN ('home', 'siteurl') ORDER BY option_name"
				)->fetchAll( PDO::FETCH_COLUMN )
			);
		} catch ( PDOException $error ) {
			return null;
		}
	}

	/** What the dump doesn't say, or says with the old prefix. */
	public function finish( $active ) {
		if ( $this->new_prefix !== $this->prefix ) {
			easydash_rename_keys( $this->pdo, $this->prefix, $this->new_prefix, static::UPDATE_IGNORE );
		}
		if ( is_array( $active ) ) {
			easydash_activate( $this->pdo, $this->new_prefix, $active );
		}
	}

	/** Ends the open transaction: the driver begins its own. */
	protected function settle() {
		if ( $this->pdo->inTransaction() ) {
			$this->pdo->commit();
		}
	}

	/** Notes what could not be imported. */
	protected function defect( $kind, $sql, $why = '' ) {
		if ( count( $this->defects ) < self::MAX_DEFECTS ) {
			$this->defects[] = array( $kind, easydash_line( $sql, 120 ), easydash_line( $why ) );
		} else {
			$this->defects[ self::MAX_DEFECTS ] = array( 'more', '', '' );
		}
	}
}

ini_set( 'memory_limit', '640M' );
$input  = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$result = array( 'problem' => null );
try {
	if ( ! empty( $input['reset'] ) ) {
		Easydash_Import::begin();
	} elseif ( null === $input['prefix'] ) {
		$result['prefixes'] = array_slice( easydash_find_prefix( $input['dump'] ), 0, 20 );
	} else {
		$kind = 'Easydash_Import';
		if ( ! empty( $input['mysql'] ) ) {
			require '/internal/easydash/import-mysql.php';
			$kind = 'Easydash_Mysql_Import';
		} elseif ( 0 === $input['offset'] && empty( $input['keep'] ) ) {
			Easydash_Import::begin();
		}
		$reader            = new Easydash_Sql_Reader( $input['dump'], $input['offset'], $input['delimiter'] );
		$new_prefix        = $input['newPrefix'] ?? $input['prefix'];
		$import            = new $kind( $input['prefix'], $new_prefix );
		$result['done']    = $import->run( $reader );
		$result['offset']  = $reader->offset();
		$result['delimiter'] = $reader->delimiter();
		$result['urls']    = $result['done'] ? $import->urls() : array();
		if ( $result['done'] && empty( $input['whole'] ) ) {
			easydash_use_prefix( $new_prefix );
		}
		if ( $result['done'] && empty( $input['whole'] ) && null !== $result['urls'] ) {
			$import->finish( $input['active'] ?? null );
		}
		$result['failed']  = $import->failed;
		$result['defects'] = array_values( $import->defects );
		$result['left']    = array_slice( array_map( 'strval', array_keys( $import->left ) ), 0, 200 );
		$result['rows']    = array();
		foreach ( $import->rows as $table => $rows ) {
			$result['rows'][] = array( (string) $table, $rows );
		}
	}
} catch ( Throwable $error ) {
	$result['problem'] = easydash_is_unwritten( $error ) ? 'no room' : easydash_line( $error->getMessage() );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $result, JSON_INVALID_UTF8_SUBSTITUTE ) );
