<?php
/* The same for a site on MySQL, as the user of its database. */
require '/internal/easydash/mysql.php';

final class Easydash_Mysql_Relocation extends Easydash_Relocation {
	/** Columns of texts, by what information_schema calls them. Bytes stay as they are. */
	const TEXTS = array( 'char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext', 'json', 'enum', 'set' );
	/** Columns of keys by whose values rows can be visited in order. */
	const KEYS = array( 'tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'char', 'varchar', 'date', 'datetime', 'timestamp' );
	/** Characters of the texts in such a key: it says where a search goes on. */
	const MAX_KEY = 100;
	/** Rows and bytes of a table without such a key: they are changed at once. */
	const MAX_ROWS  = 5000;
	const MAX_BYTES = 50000000;

	private $mysql;
	private $about = array();

	/** Goes through all tables until the time is over. Returns where to go on; null at the end. */
	public function run( $after ) {
		$until       = microtime( true ) + ( $this->find ? self::FIND_SECONDS : self::SECONDS );
		$this->mysql = easydash_mysql( easydash_login() );
		/* A value that does not fit is refused, never cut. */
		$this->mysql->query( "SET SESSION sql_mode = 'STRICT_ALL_TABLES', time_zone = '+00:00'" );
		$tables = $this->texts( "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'" );
		/* In an order that does not depend on a collation. */
		sort( $tables, SORT_STRING );
		foreach ( $tables as $table ) {
			$order = null === $after ? 1 : strcmp( $table, $after['table'] );
			if ( $order < 0 ) {
				continue;
			}
			$row = 0 === $order ? $after['row'] : array();
			try {
				while ( null !== $row ) {
					if ( microtime( true ) > $until || count( $this->tables ) >= self::MAX_TABLES ) {
						return array( 'table' => $table, 'row' => $row );
					}
					$row = $this->rows( $table, $row );
				}
			} catch ( mysqli_sql_exception $error ) {
				/* The server is gone, or there is no room: what is left must not count as looked through. */
				if ( in_array( $error->getCode(), array( 2006, 2013, 1927, 1053 ), true ) || easydash_is_unwritten( $error ) ) {
					throw $error;
				}
				$this->mysql->rollback();
				++$this->skipped;
			}
		}
		return null;
	}

	/** Some rows of a table after one. Returns the last one; null if there are no more. */
	private function rows( $table, $row ) {
		list( $columns, $keys, $kept, $options ) = $this->about[ $table ] ?? ( $this->about[ $table ] = $this->describe( $table ) );
		if ( ! $columns ) {
			return null;
		}
		$names  = array_map( 'easydash_mysql_name', $columns );
		$select = array();
		$where  = array();
		foreach ( $names as $number => $name ) {
			$found    = "(OCTET_LENGTH($name) < " . self::MAX_VALUE . " AND CONVERT($name USING utf8mb4) COLLATE utf8mb4_general_ci LIKE " . $this->quote( $this->like ) . ')';
			$select[] = "IF($found, $name, NULL) AS c$number";
			$where[]  = $found;
		}
		if ( $this->find && $options ) {
			$select[] = 'LEFT(option_name, 190) AS easydash_option';
		}
		$found = '(' . implode( ' OR ', $where ) . ')';
		$from  = ' FROM ' . easydash_mysql_name( $table ) . ' WHERE ';
		if ( ! $keys ) {
			$bytes = implode( ' + ', array_map( fn( $name ) => "COALESCE(OCTET_LENGTH($name), 0)", $names ) );
			$total = $this->mysql->query( "SELECT COUNT(*), COALESCE(SUM($bytes), 0)$from$found" )->fetch_row();
			if ( $total[0] > self::MAX_ROWS || $total[1] > self::MAX_BYTES ) {
				++$this->skipped;
				return null;
			}
		}
		foreach ( $keys as $number => $key ) {
			$select[] = easydash_mysql_name( $key ) . " AS k$number";
		}
		$order = $keys ? ' ORDER BY ' . implode( ', ', array_map( 'easydash_mysql_name', $keys ) ) . ' LIMIT ' . self::BATCH : '';
		$rows  = $this->mysql->query( 'SELECT ' . implode( ', ', $select ) . $from . $found . ( $keys && $row ? ' AND ' . $this->after( $keys, $row ) : '' ) . $order )->fetch_all( MYSQLI_ASSOC );
		if ( ! $this->find ) {
			$this->mysql->begin_transaction();
		}
		$last = null;
		foreach ( $rows as $one ) {
			$last = array_map( fn( $number ) => (string) $one[ "k$number" ], array_keys( $keys ) );
			if ( $this->find ) {
				$this->note( $table, $columns, $one );
			} else {
				$this->update( $table, $columns, $one, $keys ? $this->same( $keys, $last ) : null, $kept );
			}
		}
		$this->mysql->commit();
		return $keys && count( $rows ) === self::BATCH ? $last : null;
	}

	/** Columns with texts, those of a key, those that would get the time of the change, and whether the rows are options. */
	private function describe( $table ) {
		$rows  = $this->mysql->query(
			'SELECT COLUMN_NAME, DATA_TYPE, EXTRA, COALESCE(CHARACTER_MAXIMUM_LENGTH, 0) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '
			. $this->quote( $table ) . ' ORDER BY ORDINAL_POSITION'
		)->fetch_all();
		$texts = array();
		$kept  = array();
		$ones  = array();
		foreach ( $rows as list( $name, $type, $extra, $length ) ) {
			if ( in_array( strtolower( $type ), self::TEXTS, true ) && ! preg_match( '/GENERATED|VIRTUAL|PERSISTENT|STORED/i', $extra ) ) {
				$texts[] = $name;
			}
			if ( preg_match( '/on update/i', $extra ) ) {
				$kept[] = $name;
			}
			if ( in_array( strtolower( $type ), self::KEYS, true ) ) {
				$ones[ $name ] = (int) $length;
			}
		}
		$keys = $this->texts(
			'SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ' . $this->quote( $table )
			. " AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX"
		);
		$is_ordered = ! array_diff( $keys, array_keys( $ones ) ) && array_sum( array_intersect_key( $ones, array_flip( $keys ) ) ) <= self::MAX_KEY;
		return array( $texts, $is_ordered ? $keys : array(), $kept, in_array( 'option_name', $texts, true ) );
	}

	/** Rows behind one, in a form for which MySQL uses the index. */
	private function after( $keys, $row ) {
		$any  = array();
		$same = array();
		foreach ( $keys as $number => $key ) {
			$value = $this->quote( $row[ $number ] ?? '' );
			$any[] = implode( ' AND ', array_merge( $same, array( easydash_mysql_name( $key ) . " > $value" ) ) );
			$same[] = easydash_mysql_name( $key ) . " = $value";
		}
		return '((' . implode( ') OR (', $any ) . '))';
	}

	private function same( $keys, $row ) {
		return implode( ' AND ', array_map( fn( $key, $value ) => easydash_mysql_name( $key ) . ' = ' . $this->quote( $value ), $keys, $row ) );
	}

	/** Without a key, a row is found by the texts that are replaced. */
	private function update( $table, $columns, $row, $where, $kept ) {
		$sets   = array();
		$values = array();
		foreach ( $columns as $number => $column ) {
			$before = $row[ "c$number" ];
			$after  = null === $before ? null : $this->replacer->text( $before );
			if ( $after !== $before ) {
				$name     = easydash_mysql_name( $column );
				$sets[]   = "$name = " . $this->quote( $after );
				$values[] = "BINARY CONVERT($name USING utf8mb4) = BINARY " . $this->quote( $before );
			}
		}
		if ( ! $sets ) {
			return;
		}
		foreach ( array_diff( $kept, $columns ) as $column ) {
			$name   = easydash_mysql_name( $column );
			$sets[] = "$name = $name";
		}
		$only = null === $where ? ' WHERE ' . implode( ' AND ', $values ) . ' LIMIT 1' : " WHERE $where";
		try {
			$this->mysql->query( 'UPDATE ' . easydash_mysql_name( $table ) . ' SET ' . implode( ', ', $sets ) . $only );
			++$this->changed;
		} catch ( mysqli_sql_exception $error ) {
			/* It does not fit, or another row has that value already: 1406 and 1062. Whatever else is none of its row. */
			if ( ! in_array( $error->getCode(), array( 1406, 1062, 1265, 1366, 3140, 4025 ), true ) ) {
				throw $error;
			}
			++$this->skipped;
		}
	}

	private function texts( $sql ) {
		return array_column( $this->mysql->query( $sql )->fetch_all(), 0 );
	}

	private function quote( $text ) {
		return "'" . $this->mysql->real_escape_string( $text ) . "'";
	}
}
