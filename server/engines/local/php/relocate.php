<?php
/*
 * Replaces the address of a site in its database, and gives the copy of one its own keys. No code of the site runs: the
 * database is opened directly; SQLite's with the locks that all instances of this process share.
 * Input: from, to (host with port), scheme (of the new address, if it replaces that of the old one), salts (name => value), after (table, row; or null at the start), without_port (replaces
 * addresses without the port, too), mysql (the database is MySQL; default: SQLite), find (changes nothing, says what it would change).
 * Result: problem (null if there is none), after (null at the end), changed (rows), skipped; with `find` also tables, options and examples.
 */
require '/internal/easydash/driver.php';
require '/internal/easydash/replace.php';

class Easydash_Relocation {
	const DATABASE = '/wordpress/wp-content/database/.ht.sqlite';
	const CONFIG   = '/wordpress/wp-config.php';
	/** Rows read at once; values above this size (bytes) stay as they are. */
	const BATCH     = 50;
	const MAX_VALUE = 8000000;
	/** Seconds of one run. */
	const SECONDS      = 20;
	const FIND_SECONDS = 4;
	/** Most of each that a search names. */
	const MAX_TABLES   = 150;
	const MAX_OPTIONS  = 60;
	const MAX_EXAMPLES = 8;

	public $changed = 0;
	protected $skipped = 0;
	/** What a search found: table => rows and places, option => places, examples. */
	public $tables   = array();
	public $options  = array();
	public $examples = array();
	protected $find;
	protected $replacer;
	protected $like;
	private $pdo;

	public function __construct( $from, $to, $without_port, $find, $scheme ) {
		$this->replacer = new Easydash_Replacer( $from, $to, $without_port, $scheme );
		$this->find     = $find;
		$this->like     = '%' . addcslashes( preg_split( '~[:/]~', $from )[0], '%_\\' ) . '%';
	}

	/** New keys, and the address where the configuration names it. */
	public function configure( $salts ) {
		if ( ! is_file( self::CONFIG ) || filesize( self::CONFIG ) > 1000000 ) {
			return;
		}
		$before = file_get_contents( self::CONFIG );
		$after  = preg_replace_callback(
			'/(define\s{0,20}\(\s{0,20}([\'"])([A-Z_]{1,40})\2\s{0,20},\s{0,20})([\'"])([^\'"\r\n]{0,500})\4/',
			function ( $match ) use ( $salts ) {
				list( , $start, , $name, $quote, $value ) = $match;
				return $start . $quote . ( $salts[ $name ] ?? $this->replacer->text( $value ) ) . $quote;
			},
			$before
		);
		if ( is_string( $after ) && $after !== $before ) {
			$temporary = self::CONFIG . '.easydash-' . bin2hex( random_bytes( 4 ) );
			if ( strlen( $after ) !== @file_put_contents( $temporary, $after ) ) {
				@unlink( $temporary );
				throw new RuntimeException( 'no room' );
			}
			chmod( $temporary, fileperms( self::CONFIG ) & 0777 );
			rename( $temporary, self::CONFIG );
		}
	}

	/** Goes through all tables until the time is over. Returns where to go on; null at the end. */
	public function run( $after ) {
		if ( ! is_file( self::DATABASE ) ) {
			return null;
		}
		$until     = microtime( true ) + ( $this->find ? self::FIND_SECONDS : self::SECONDS );
		$this->pdo = new PDO( 'sqlite:' . self::DATABASE, null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 10 ) );
		$tables    = $this->pdo->query(
			"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
				AND name NOT LIKE '\\_wp\\_sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_mysql\\_%' ESCAPE '\\' ORDER BY name"
		)->fetchAll( PDO::FETCH_COLUMN );
		foreach ( $tables as $table ) {
			$order = null === $after ? 1 : strcmp( $table, $after['table'] );
			if ( $order < 0 ) {
				continue;
			}
			$row = 0 === $order ? $after['row'] : PHP_INT_MIN;
			try {
				while ( null !== $row ) {
					if ( microtime( true ) > $until || count( $this->tables ) >= self::MAX_TABLES ) {
						return array( 'table' => $table, 'row' => $row );
					}
					$row = $this->batch( $table, $row );
				}
			} catch ( PDOException $error ) {
				/* A table that is none of WordPress's kind. */
				if ( easydash_is_unwritten( $error ) ) {
					throw $error;
				}
				if ( $this->pdo->inTransaction() ) {
					$this->pdo->rollBack();
				}
				++$this->skipped;
			}
		}
		return null;
	}

	/** Some rows of a table after one. Returns the last one; null if there are no more. */
	private function batch( $table, $row ) {
		$columns = array();
		$all     = array();
		foreach ( $this->pdo->query( 'PRAGMA table_info(' . $this->name( $table ) . ')' ) as $column ) {
			$all[] = strtolower( $column['name'] );
			if ( ! preg_match( '/^(?:INTEGER|REAL)$/i', $column['type'] ) ) {
				$columns[] = $column['name'];
			}
		}
		$id = current( array_diff( array( 'rowid', '_rowid_', 'oid' ), $all ) );
		if ( ! $columns || false === $id ) {
			return null;
		}
		$texts = $this->find && in_array( 'option_name', $all, true ) ? array( 'substr(option_name, 1, 190) AS easydash_option' ) : array();
		$where = array();
		foreach ( $columns as $number => $column ) {
			$quoted  = $this->name( $column );
			$found   = "typeof($quoted) = 'text' AND length($quoted) < " . self::MAX_VALUE . " AND $quoted LIKE :like ESCAPE '\\'";
			$texts[] = "CASE WHEN $found THEN $quoted END AS c$number";
			$where[] = "($found)";
		}
		$query = $this->pdo->prepare(
			"SELECT $id AS easydash_row, " . implode( ', ', $texts ) . ' FROM ' . $this->name( $table ) .
			" WHERE $id > :row AND (" . implode( ' OR ', $where ) . ") ORDER BY $id LIMIT " . self::BATCH
		);
		$query->bindValue( ':like', $this->like );
		$query->bindValue( ':row', $row, PDO::PARAM_INT );
		$query->execute();
		$rows = $query->fetchAll( PDO::FETCH_ASSOC );
		$query->closeCursor();
		if ( $this->find ) {
			foreach ( $rows as $one ) {
				$this->note( $table, $columns, $one );
			}
		} else {
			$this->pdo->beginTransaction();
			foreach ( $rows as $one ) {
				$this->write( $table, $id, $columns, $one );
			}
			$this->pdo->commit();
		}
		return count( $rows ) < self::BATCH ? null : (int) end( $rows )['easydash_row'];
	}

	/** Counts what would be replaced in a row. */
	protected function note( $table, $columns, $row ) {
		$begun = $this->replacer->places;
		foreach ( $columns as $number => $column ) {
			$before = $row[ "c$number" ];
			$after  = null === $before ? null : $this->replacer->text( $before );
			if ( $after !== $before && count( $this->examples ) < self::MAX_EXAMPLES ) {
				$this->examples[] = array(
					'table'  => substr( $table, 0, 190 ),
					'column' => substr( $row['easydash_option'] ?? $column, 0, 190 ),
				) + self::excerpts( $before, $after );
			}
		}
		$places = $this->replacer->places - $begun;
		if ( 0 === $places ) {
			return;
		}
		++$this->changed;
		$this->tables[ $table ]['rows']   = ( $this->tables[ $table ]['rows'] ?? 0 ) + 1;
		$this->tables[ $table ]['places'] = ( $this->tables[ $table ]['places'] ?? 0 ) + $places;
		if ( isset( $row['easydash_option'] ) && count( $this->options ) < self::MAX_OPTIONS ) {
			$this->options[ $row['easydash_option'] ] = $places;
		}
	}

	/** The first difference of two texts, with what is around it. */
	private static function excerpts( $before, $after ) {
		$same  = strspn( $before ^ $after, "\0" );
		$start = max( 0, $same - 40 );
		$cut   = function ( $text ) use ( $start ) {
			$part = mb_scrub( substr( $text, $start, 140 ), 'UTF-8' );
			return trim( preg_replace( '/[\x00-\x1f\x7f]+/', ' ', $part ) );
		};
		return array(
			'before' => $cut( $before ),
			'after'  => $cut( $after ),
		);
	}

	private function write( $table, $id, $columns, $row ) {
		$sets = array();
		foreach ( $columns as $number => $column ) {
			$before = $row[ "c$number" ];
			$after  = null === $before ? null : $this->replacer->text( $before );
			if ( $after !== $before ) {
				$sets[ $this->name( $column ) . ' = ?' ] = $after;
			}
		}
		if ( ! $sets ) {
			return;
		}
		try {
			$update = $this->pdo->prepare( 'UPDATE ' . $this->name( $table ) . ' SET ' . implode( ', ', array_keys( $sets ) ) . " WHERE $id = ?" );
			$update->execute( array_merge( array_values( $sets ), array( $row['easydash_row'] ) ) );
			++$this->changed;
		} catch ( PDOException $error ) {
			if ( easydash_is_unwritten( $error ) ) {
				throw $error;
			}
			/* Another row has that value already. */
			++$this->skipped;
		}
	}

	/** Values and tables that stay as they are. */
	public function skipped() {
		return $this->skipped + $this->replacer->broken;
	}

	/** Counts by name as a list: names can look like numbers. */
	public function counts( $found, $key ) {
		$list = array();
		foreach ( $found as $name => $counts ) {
			$list[] = array( $key => substr( (string) $name, 0, 190 ) ) + ( is_array( $counts ) ? $counts : array( 'places' => $counts ) );
		}
		return $list;
	}

	private function name( $name ) {
		return '"' . str_replace( '"', '""', $name ) . '"';
	}
}

ini_set( 'memory_limit', '512M' );
$input      = json_decode( $_SERVER['EASYDASH_INPUT'], true );
$kind       = 'Easydash_Relocation';
if ( ! empty( $input['mysql'] ) ) {
	require '/internal/easydash/relocate-mysql.php';
	$kind = 'Easydash_Mysql_Relocation';
}
$relocation = new $kind( $input['from'], $input['to'], ! empty( $input['without_port'] ), ! empty( $input['find'] ), $input['scheme'] ?? null );
$problem    = null;
$after      = null;
try {
	if ( null === $input['after'] && empty( $input['find'] ) ) {
		$relocation->configure( $input['salts'] );
	}
	$after = $relocation->run( $input['after'] );
} catch ( Throwable $error ) {
	$problem = easydash_is_unwritten( $error ) ? 'no room' : mb_substr( mb_scrub( $error->getMessage(), 'UTF-8' ), 0, 300, 'UTF-8' );
}
$result = array(
	'problem' => $problem,
	'after'   => $after,
	'changed' => $relocation->changed,
	'skipped' => $relocation->skipped(),
);
if ( ! empty( $input['find'] ) ) {
	$result['tables']   = $relocation->counts( $relocation->tables, 'table' );
	$result['options']  = $relocation->counts( $relocation->options, 'option' );
	$result['examples'] = $relocation->examples;
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], json_encode( $result, JSON_INVALID_UTF8_SUBSTITUTE ) );
