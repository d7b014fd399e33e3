<?php
/* Reads the database of a site on a connection that cannot write, and knows its tables. No code of the site runs. */
require '/internal/easydash/secrets.php';

abstract class Easydash_Reader {
	const DATABASE = '/wordpress/wp-content/database/.ht.sqlite';
	/** Seconds until reading and counting stop. */
	const SECONDS = 6;
	/** Authorizer codes: PRAGMA, READ, SELECT, FUNCTION, RECURSIVE. */
	const PRAGMA  = 19;
	const ALLOWED = array( 20, 21, 31, 33 );

	private $db;
	protected $until;
	protected $limits;

	public function __construct( $limits ) {
		$this->limits = $limits;
		$this->until  = microtime( true ) + self::SECONDS;
		/* What a killed process left in its journal has to be undone first, which a reader must not do. */
		if ( is_file( self::DATABASE . '-journal' ) ) {
			( new PDO( 'sqlite:' . self::DATABASE, null, null, array( PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_TIMEOUT => 10 ) ) )
				->query( 'SELECT count(*) FROM sqlite_master' )->fetchAll();
		}
		$this->db = new SQLite3( self::DATABASE, SQLITE3_OPEN_READONLY );
		$this->db->enableExceptions( true );
		$this->db->busyTimeout( 5000 );
		$this->db->exec( 'PRAGMA query_only = 1' );
		$this->db->exec( 'PRAGMA trusted_schema = 0' );
		$this->db->createFunction(
			'easydash_tick',
			function () {
				if ( microtime( true ) > $this->until ) {
					throw new Easydash_Problem( 'late' );
				}
				return 1;
			},
			0
		);
		$this->db->setAuthorizer(
			function ( $code, $first ) {
				$fine = in_array( $code, self::ALLOWED, true ) || ( self::PRAGMA === $code && in_array( $first, array( 'table_list', 'table_xinfo' ), true ) );
				return $fine ? SQLite3::OK : SQLite3::DENY;
			}
		);
	}

	/** Names of the tables of WordPress and its plugins. */
	protected function names() {
		$names = array();
		foreach ( $this->all( 'PRAGMA main.table_list' ) as $row ) {
			$name = $row['name'];
			if ( 'table' === $row['type'] && strlen( $name ) <= $this->limits['name'] && mb_check_encoding( $name, 'UTF-8' ) && ! preg_match( '/^(?:sqlite_|_wp_sqlite_|_mysql_)/', $name ) ) {
				$names[] = $name;
			}
		}
		sort( $names, SORT_STRING );
		return $names;
	}

	/** Columns of a table, and what its rows are named by (null: nothing). */
	protected function table( $name, $with_types = true ) {
		if ( ! in_array( $name, $this->names(), true ) ) {
			throw new Easydash_Problem( 'missing' );
		}
		$types   = $with_types ? $this->types( $name ) : array();
		$columns = array();
		$all     = array();
		foreach ( $this->all( 'PRAGMA main.table_xinfo(' . $this->name( $name ) . ')' ) as $column ) {
			$all[ strtolower( $column['name'] ) ] = $column['name'];
			if ( 1 !== $column['hidden'] && strlen( $column['name'] ) <= $this->limits['name'] && mb_check_encoding( $column['name'], 'UTF-8' ) ) {
				$columns[] = array( 'name' => $column['name'], 'type' => $types[ $column['name'] ] ?? strtolower( $column['type'] ), 'key' => $column['pk'] > 0 );
			}
		}
		foreach ( $columns as &$column ) {
			$column += Easydash_Secrets::of( $column['name'], $all, fn( $other ) => $this->name( $other ) );
		}
		unset( $column );
		$without = $this->first( 'SELECT 1 FROM sqlite_master WHERE type = \'table\' AND name = :name AND upper(sql) LIKE \'%WITHOUT%ROWID%\'', array( ':name' => $name ) );
		$ids     = array_diff( array( 'rowid', '_rowid_', 'oid' ), array_keys( $all ) );
		return array( 'name' => $name, 'columns' => $columns, 'id' => null !== $without || ! $ids ? null : current( $ids ) );
	}

	/** Types as MySQL names them, from what WordPress' own driver noted. */
	private function types( $table ) {
		try {
			$rows = $this->all( 'SELECT COLUMN_NAME AS name, substr(COLUMN_TYPE, 1, 100) AS type FROM _wp_sqlite_mysql_information_schema_columns WHERE TABLE_NAME = :table LIMIT 2000', array( ':table' => $table ) );
			return array_column( $rows, 'type', 'name' );
		} catch ( Exception $error ) {
			return array();
		}
	}

	protected function column( $table, $name ) {
		foreach ( $table['columns'] as $column ) {
			if ( $column['name'] === $name ) {
				return $column;
			}
		}
		throw new Easydash_Problem( 'missing' );
	}

	protected function all( $sql, $bound = array() ) {
		$statement = $this->db->prepare( $sql );
		foreach ( $bound as $name => $value ) {
			$statement->bindValue( $name, $value, is_int( $value ) ? SQLITE3_INTEGER : SQLITE3_TEXT );
		}
		$found = $statement->execute();
		$rows  = array();
		while ( false !== ( $row = $found->fetchArray( SQLITE3_ASSOC ) ) ) {
			$rows[] = $row;
		}
		$statement->close();
		return $rows;
	}

	/** The first row as a list; null if there is none. */
	protected function first( $sql, $bound = array() ) {
		$rows = $this->all( $sql, $bound );
		return $rows ? array_values( $rows[0] ) : null;
	}

	protected function name( $name ) {
		return '"' . str_replace( '"', '""', $name ) . '"';
	}
}

/** Why something can't be shown. */
final class Easydash_Problem extends Exception {
	public static function json( $value ) {
		return json_encode( $value, JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES );
	}
}
