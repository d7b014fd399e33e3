<?php
/*
 * The same for a site on MySQL: what is compared is a copy of its database, what is written to is the database itself, as the user
 * of the site. The engine keeps a dump of it from before.
 */
require '/internal/easydash/mysql.php';

final class Easydash_Merge_Mysql_Target extends Easydash_Merge_Target {
	/** Rows whose numbers are counted in one statement. */
	const COUNTED = 500;
	const DENIED  = 1227;

	private $mysql;
	private $kept = array();

	public function __construct( $diff ) {
		parent::__construct( $diff );
		$this->mysql = easydash_mysql( easydash_login() );
		/* A value that does not fit is refused, never cut; zero dates are values. Rows come in any order. */
		$this->mysql->query( "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO', foreign_key_checks = 0, time_zone = '+00:00'" );
		try {
			/* Formats of rows that InnoDB does not have are those of other engines. MySQL lets no ordinary user say so. */
			$this->mysql->query( 'SET SESSION innodb_strict_mode = 0' );
		} catch ( mysqli_sql_exception $error ) {
			if ( self::DENIED !== $error->getCode() ) {
				throw $error;
			}
		}
	}

	public function begin() {
		$this->mysql->begin_transaction();
	}

	public function commit() {
		$this->mysql->commit();
	}

	/** A table that only staging has, and its columns in the copy. */
	public function create( $table ) {
		$sql = null;
		if ( null !== $this->diff->columns( 'stage', '_mysql_structure' ) ) {
			$query = $this->pdo->prepare( 'SELECT sql FROM stage._mysql_structure WHERE name = ?' );
			$query->execute( array( $table ) );
			$sql = $query->fetchColumn();
		}
		if ( ! is_string( $sql ) || ! self::makes( $sql, $table ) ) {
			throw new Exception( "The structure of the table $table is not one that can be made." );
		}
		$this->mysql->query( $sql );
		parent::create( $table );
	}

	/** Whether a statement makes this table and does nothing else: code of the staging site could have written it. */
	private static function makes( $sql, $table ) {
		$head = 'CREATE TABLE ' . easydash_mysql_name( $table ) . ' (';
		if ( 0 !== strpos( $sql, $head ) ) {
			return false;
		}
		/* Without names and texts. */
		$rest = preg_replace( '/`(?:[^`]|``)*+`|\'(?:[^\'\\\\]|\\\\.|\'\')*+\'/s', '?', substr( $sql, strlen( $head ) ) );
		return is_string( $rest )
			&& ! preg_match( '/[`\'";#\\\\]|--|\/\*|\b(?:SELECT|TABLE|VALUES|UNION|DIRECTORY|CONNECTION|TABLESPACE)\b/i', $rest )
			&& preg_match( '/\) ENGINE=(?:InnoDB|MyISAM|Aria)\b/i', $rest );
	}

	public function delete( $table, $columns, $values ) {
		$this->mysql->query( 'DELETE FROM ' . easydash_mysql_name( $table ) . ' WHERE ' . $this->where( $table, $columns, $values ) );
	}

	public function update( $table, $values, $keys, $key ) {
		$sets = array();
		foreach ( $values as $column => $value ) {
			$sets[] = easydash_mysql_name( (string) $column ) . ' = ' . $this->literal( $table, $column, $value );
		}
		/* Otherwise they would get the time of the change. */
		foreach ( $this->kept( $table ) as $column ) {
			if ( ! array_key_exists( $column, $values ) ) {
				$sets[] = easydash_mysql_name( $column ) . ' = ' . easydash_mysql_name( $column );
			}
		}
		$this->mysql->query( 'UPDATE ' . easydash_mysql_name( $table ) . ' SET ' . implode( ', ', $sets ) . ' WHERE ' . $this->where( $table, $keys, $key ) );
		/* A row that has these values already is one, too. */
		return 1 === preg_match( '/matched: [1-9]/', (string) $this->mysql->info );
	}

	public function insert( $table, $values ) {
		$names    = array();
		$literals = array();
		foreach ( $values as $column => $value ) {
			$names[]    = easydash_mysql_name( (string) $column );
			$literals[] = $this->literal( $table, $column, $value );
		}
		$this->mysql->query( 'INSERT INTO ' . easydash_mysql_name( $table ) . ' (' . implode( ', ', $names ) . ') VALUES (' . implode( ', ', $literals ) . ')' );
	}

	private function where( $table, $columns, $values ) {
		return implode( ' AND ', array_map( fn( $column, $value ) => easydash_mysql_name( $column ) . ' = ' . $this->literal( $table, $column, $value ), $columns, $values ) );
	}

	private function literal( $table, $column, $value ) {
		if ( null === $value ) {
			return 'NULL';
		}
		$type  = $this->diff->columns( 'main', $table )['types'][ $column ] ?? '';
		$value = (string) $value;
		if ( 0 === strpos( $type, 'INT' ) && preg_match( '/^-?\d{1,20}$/D', $value ) ) {
			return $value;
		}
		return '' !== $value && ( 'BLOB' === $type || ! preg_match( '//u', $value ) ) ? '0x' . bin2hex( $value ) : "'" . $this->mysql->real_escape_string( $value ) . "'";
	}

	/** Columns that get the time of a change. */
	private function kept( $table ) {
		if ( ! isset( $this->kept[ $table ] ) ) {
			$name                 = "'" . $this->mysql->real_escape_string( $table ) . "'";
			$this->kept[ $table ] = array_column( $this->mysql->query( "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = $name AND EXTRA LIKE '%on update%'" )->fetch_all(), 0 );
		}
		return $this->kept[ $table ];
	}

	public function count() {
		if ( ! $this->has_counts() ) {
			return;
		}
		$table    = fn( $name ) => easydash_mysql_name( $this->rules->prefix . $name );
		$comments = "(SELECT COUNT(*) FROM {$table( 'comments' )} c WHERE c.comment_post_ID = p.ID AND c.comment_approved = '1')";
		$this->each( "SELECT DISTINCT CAST(substr(owner, 6) AS INTEGER) FROM work.op WHERE owner LIKE 'post:%'", "UPDATE {$table( 'posts' )} p SET comment_count = $comments WHERE p.ID" );
		$posts = "(SELECT COUNT(*) FROM {$table( 'term_relationships' )} r JOIN {$table( 'posts' )} p ON p.ID = r.object_id WHERE r.term_taxonomy_id = t.term_taxonomy_id AND p.post_status = 'publish')";
		$this->each( "SELECT DISTINCT CAST(json_extract(key, '$[1]') AS INTEGER) FROM work.op WHERE tbl = '{$this->rules->prefix}term_relationships'", "UPDATE {$table( 'term_taxonomy' )} t SET count = $posts WHERE t.term_taxonomy_id" );
	}

	private function each( $numbers, $update ) {
		foreach ( array_chunk( $this->pdo->query( $numbers )->fetchAll( PDO::FETCH_COLUMN ), self::COUNTED ) as $part ) {
			$this->mysql->query( "$update IN (" . implode( ', ', array_map( 'intval', $part ) ) . ')' );
		}
	}
}
