<?php
/*
 * The same for a database on MySQL, as a user who may read this one database and nothing else, in a transaction that only reads.
 * A statement that runs for too long is ended by the server.
 */
require '/internal/easydash/mysql.php';

final class Easydash_Mysql_Browser {
	use Easydash_Browsing;

	/** Seconds until reading and counting stop. */
	const SECONDS = 6;
	/** Most tables of which the names are read, and columns of a table. */
	const MAX_NAMES   = 20000;
	const MAX_COLUMNS = 5000;
	/** Types, by what information_schema calls them. Others are binary. */
	const NUMBERS  = array( 'tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal', 'float', 'double', 'year' );
	const INTEGERS = array( 'tinyint', 'smallint', 'mediumint', 'int', 'bigint' );
	const TEXTS    = array( 'char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext' );
	const SHOWN_AS = array( 'enum', 'set', 'json', 'date', 'datetime', 'timestamp', 'time', 'uuid', 'inet4', 'inet6' );

	private $mysql;
	private $until;
	private $limits;
	/** Size and number of columns of each table; null: not read yet. */
	private $sizes = null;

	public function __construct( $limits, $login ) {
		$this->limits = $limits;
		$this->until  = microtime( true ) + self::SECONDS;
		$this->mysql  = easydash_mysql( $login );
		/* Backslashes in values and patterns mean nothing to MySQL then, as in SQLite. */
		$this->mysql->query( "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'" );
		if ( ! easydash_is_mariadb( $this->mysql ) ) {
			$this->mysql->query( 'SET SESSION information_schema_stats_expiry = 0' );
		}
		$this->mysql->query( 'START TRANSACTION READ ONLY' );
	}

	public function cell( $query ) {
		$table  = $this->table( $query['table'] );
		$column = $this->column( $table, $query['column'] );
		if ( $column['hidden'] ) {
			throw new Easydash_Problem( 'hidden' );
		}
		if ( null === $table['id'] || ! preg_match( '/^-?\d{1,20}$/', $query['row'] ) ) {
			throw new Easydash_Problem( 'missing' );
		}
		$value = $this->name( $column['name'] );
		$where = ' FROM ' . $this->name( $table['name'] ) . " WHERE {$table['id']} = {$query['row']}";
		$found = $this->all( "SELECT OCTET_LENGTH($value), {$column['secret']}$where" );
		if ( ! $found ) {
			throw new Easydash_Problem( 'missing' );
		}
		list( $bytes, $secret ) = array_values( $found[0] );
		if ( $secret ) {
			throw new Easydash_Problem( 'hidden' );
		}
		if ( $bytes > $this->max_value ) {
			throw new Easydash_Problem( 'large' );
		}
		$kind = $column['kind'];
		return $this->part(
			$kind,
			$bytes,
			(int) $query['start'],
			function ( $start, $length ) use ( $kind, $column, $where ) {
				$part = 'SUBSTRING(' . $this->shown( $column ) . ', ' . ( $start + 1 ) . ", $length)";
				return current( $this->all( 'SELECT ' . ( 'binary' === $kind ? "HEX($part)" : $part ) . $where )[0] ?? array( '' ) );
			}
		);
	}

	private function bytes() {
		return (int) array_sum( array_column( $this->sizes(), 'bytes' ) );
	}

	/** Number of rows and size of a table. */
	private function measure( $name ) {
		$size = $this->sizes()[ $name ] ?? array( 'bytes' => null, 'columns' => 0 );
		try {
			$rows = $this->count( $name, '' );
		} catch ( Exception $error ) {
			/* Too slow, or a table that can't be read: the others are listed. */
			return array( 'rows' => null, 'more' => false ) + $size;
		}
		return array(
			'rows' => min( $rows, $this->limits['counted'] ),
			'more' => $rows > $this->limits['counted'],
		) + $size;
	}

	private function sizes() {
		if ( null === $this->sizes ) {
			$columns = array_column( $this->all( 'SELECT TABLE_NAME AS t, COUNT(*) AS n FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() GROUP BY TABLE_NAME' ), 'n', 't' );
			$this->sizes = array();
			foreach ( $this->all( 'SELECT TABLE_NAME AS t, COALESCE(DATA_LENGTH, 0) + COALESCE(INDEX_LENGTH, 0) AS n FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() LIMIT ' . self::MAX_NAMES ) as $row ) {
				$this->sizes[ $row['t'] ] = array(
					'bytes'   => (int) $row['n'],
					'columns' => (int) ( $columns[ $row['t'] ] ?? 0 ),
				);
			}
		}
		return $this->sizes;
	}

	/** Names of the tables. */
	private function names() {
		$names = array_column( $this->all( "SELECT TABLE_NAME AS t FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' LIMIT " . self::MAX_NAMES ), 't' );
		sort( $names, SORT_STRING );
		/* Before the time of the first table begins. */
		$this->sizes();
		return $names;
	}

	/** Columns of a table, and the name of the one its rows are named by, quoted (null: none). */
	private function table( $name ) {
		$is_known = array_column( $this->all( "SELECT TABLE_NAME AS t FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME = " . $this->quote( $name ) ), 't' );
		if ( ! in_array( $name, $is_known, true ) ) {
			throw new Easydash_Problem( 'missing' );
		}
		$columns = array();
		$all     = array();
		$found   = $this->all(
			'SELECT COLUMN_NAME AS name, LOWER(DATA_TYPE) AS kind, LEFT(COLUMN_TYPE, 100) AS type, COLUMN_KEY AS k FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '
			. $this->quote( $name ) . ' ORDER BY ORDINAL_POSITION LIMIT ' . self::MAX_COLUMNS
		);
		foreach ( $found as $column ) {
			$all[ strtolower( $column['name'] ) ] = $column['name'];
		}
		foreach ( $found as $column ) {
			$type      = $column['kind'];
			$is_text   = in_array( $type, self::TEXTS, true ) || in_array( $type, self::SHOWN_AS, true );
			$columns[] = array(
				'name'   => $column['name'],
				'type'   => $column['type'],
				'key'    => 'PRI' === $column['k'],
				'raw'    => $type,
				'kind'   => 'bit' === $type || in_array( $type, self::NUMBERS, true ) ? 'number' : ( $is_text ? 'text' : 'binary' ),
			) + Easydash_Secrets::of( $column['name'], $all, fn( $other ) => $this->comparable( $this->name( $other ) ) );
		}
		return array( 'name' => $name, 'columns' => $columns, 'id' => $this->id( $name, $columns ) );
	}

	/** A column of whole numbers that are different and never missing; the primary key first. */
	private function id( $table, $columns ) {
		$integers = array();
		foreach ( $columns as $column ) {
			if ( in_array( $column['raw'], self::INTEGERS, true ) ) {
				$integers[] = $column['name'];
			}
		}
		$keys = $this->all(
			'SELECT INDEX_NAME AS i, MIN(COLUMN_NAME) AS c, COUNT(*) AS n, MAX(NULLABLE) AS e FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '
			. $this->quote( $table ) . " AND NON_UNIQUE = 0 GROUP BY INDEX_NAME ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME"
		);
		foreach ( $keys as $key ) {
			if ( '1' === $key['n'] && 'YES' !== $key['e'] && in_array( $key['c'], $integers, true ) ) {
				return $this->name( $key['c'] );
			}
		}
		return null;
	}

	private function column( $table, $name ) {
		foreach ( $table['columns'] as $column ) {
			if ( $column['name'] === $name ) {
				return $column;
			}
		}
		throw new Easydash_Problem( 'missing' );
	}

	/** The value of a column as it is shown, as SQL; bytes if it is binary. */
	private function shown( $column ) {
		$value = $this->name( $column['name'] );
		if ( 'binary' === $column['kind'] ) {
			return $value;
		}
		return 'CONVERT(CAST(' . ( 'bit' === $column['raw'] ? "$value + 0" : $value ) . ' AS CHAR) USING utf8mb4)';
	}

	/** A value as text that is compared without regard to case, whatever its own collation is. */
	private function comparable( $value ) {
		return "CONVERT($value USING utf8mb4) COLLATE utf8mb4_general_ci";
	}

	/** Rows to show, and one more. */
	private function find( $table, $query ) {
		$id     = $table['id'];
		$select = array( null === $id ? 'NULL AS id' : "CAST($id AS CHAR) AS id" );
		$length = $this->limits['preview'] + 1;
		foreach ( array_slice( $table['columns'], 0, $this->limits['columns'] ) as $number => $column ) {
			$value    = $this->name( $column['name'] );
			$part     = 'binary' === $column['kind'] ? "HEX(LEFT($value, 32))" : 'LEFT(' . $this->shown( $column ) . ", $length)";
			$select[] = "IF($value IS NULL, 0, IF({$column['secret']}, 1, 2)) AS t$number";
			$select[] = "IF({$column['secret']}, '', $part) AS v$number";
			$select[] = "OCTET_LENGTH($value) AS b$number";
		}
		$order = null === $id ? '' : " ORDER BY $id";
		if ( null !== $query['sort'] ) {
			$column = $this->column( $table, $query['sort']['column'] );
			if ( $column['hidden'] ) {
				throw new Easydash_Problem( 'hidden' );
			}
			$value = $this->name( $column['name'] );
			$value = '0' === $column['secret'] ? $value : "CASE WHEN {$column['secret']} THEN NULL ELSE $value END";
			$order = " ORDER BY $value " . ( $query['sort']['descending'] ? 'DESC' : 'ASC' ) . ( null === $id ? '' : ", $id" );
		}
		return $this->all( 'SELECT ' . implode( ', ', $select ) . ' FROM ' . $this->name( $table['name'] ) . $this->condition( $table, $query ) . $order . ' LIMIT ' . ( $this->limits['rows'] + 1 ) . ' OFFSET ' . (int) $query['start'] );
	}

	/** What `find` found, as it is shown. */
	private function cells( $table, $columns, $found ) {
		$rows = array();
		foreach ( $found as $row ) {
			$cells = array();
			foreach ( $columns as $number => $column ) {
				$text = (string) $row[ "v$number" ];
				$cut  = 'binary' === $column['kind'] ? $row[ "b$number" ] > 32 : mb_strlen( $text, 'UTF-8' ) > $this->limits['preview'];
				$cells[] = array(
					'0' => null,
					'1' => array( 'kind' => 'hidden', 'text' => '', 'bytes' => 0, 'cut' => false ),
					'2' => array( 'kind' => $column['kind'], 'text' => 'binary' === $column['kind'] ? $text : mb_substr( $text, 0, $this->limits['preview'], 'UTF-8' ), 'bytes' => (int) $row[ "b$number" ], 'cut' => $cut ),
				)[ $row[ "t$number" ] ];
			}
			$rows[] = array( 'row' => $row['id'], 'cells' => $cells );
		}
		return $rows;
	}

	private function total( $table, $query ) {
		try {
			return $this->count( $table['name'], $this->condition( $table, $query ) );
		} catch ( Exception $error ) {
			return null;
		}
	}

	private function count( $name, $where ) {
		return (int) current( $this->all( 'SELECT COUNT(*) FROM (SELECT 1 FROM ' . $this->name( $name ) . $where . ' LIMIT ' . ( $this->limits['counted'] + 1 ) . ') AS easydash_rows' )[0] );
	}

	private function condition( $table, $query ) {
		if ( null === $query['filter'] ) {
			return '';
		}
		$filter = $query['filter'];
		$column = $this->column( $table, $filter['column'] );
		if ( $column['hidden'] ) {
			throw new Easydash_Problem( 'hidden' );
		}
		$name   = $this->name( $column['name'] );
		$value  = $this->quote( $filter['value'] );
		$like   = $this->comparable( $this->shown( $column ) ) . ' LIKE ' . $this->quote( ( 'contains' === $filter['operator'] ? '%' : '' ) . addcslashes( $filter['value'], '%_\\' ) . '%' ) . " ESCAPE '\\'";
		/* As it is where that can use an index; otherwise MySQL would take a word for the number 0. */
		$as_is   = 'number' === $column['kind'] ? is_numeric( $filter['value'] ) : 'binary' === $column['kind'] || ( in_array( $column['raw'], self::TEXTS, true ) && ! preg_match( '/[^\x20-\x7e]/', $filter['value'] ) );
		$compare = $as_is ? $name : $this->comparable( $this->shown( $column ) );
		$tests   = array(
			'contains' => $like,
			'starts'   => $like,
			'equals'   => "$compare = $value",
			'differs'  => "$compare <> $value",
			'less'     => "$compare < $value",
			'greater'  => "$compare > $value",
			'null'     => "$name IS NULL",
			'not_null' => "$name IS NOT NULL",
		);
		return " WHERE ({$tests[ $filter['operator'] ]}) AND NOT ({$column['secret']})";
	}

	/** All rows of a result, read within the time that is left. */
	private function all( $sql ) {
		$left = $this->until - microtime( true );
		if ( $left <= 0 ) {
			throw new Easydash_Problem( 'late' );
		}
		try {
			easydash_mysql_seconds( $this->mysql, $left );
			return $this->mysql->query( $sql )->fetch_all( MYSQLI_ASSOC );
		} catch ( mysqli_sql_exception $error ) {
			throw easydash_mysql_is_late( $error ) ? new Easydash_Problem( 'late' ) : $error;
		}
	}

	private function name( $name ) {
		return easydash_mysql_name( $name );
	}

	private function quote( $text ) {
		return "'" . $this->mysql->real_escape_string( $text ) . "'";
	}
}
