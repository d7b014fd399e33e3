<?php
/* The database that a merge writes to: that of the site, whose connection the comparison has. */
require '/internal/easydash/make-table.php';

class Easydash_Merge_Target {
	protected $diff;
	protected $pdo;
	protected $rules;

	public function __construct( $diff ) {
		$this->diff  = $diff;
		$this->pdo   = $diff->pdo;
		$this->rules = $diff->rules;
	}

	public function begin() {
		$this->pdo->beginTransaction();
	}

	public function commit() {
		$this->pdo->commit();
	}

	/** A table that only staging has, with what the SQLite driver of WordPress knows about it. */
	public function create( $table ) {
		easydash_make_table( $this->pdo, $table );
	}

	/** Removes the rows that have these values. */
	public function delete( $table, $columns, $values ) {
		$this->pdo->prepare( 'DELETE FROM main.' . self::name( $table ) . ' WHERE ' . self::where( $columns ) )->execute( $values );
	}

	/** Changes the row with a key. False if there is none. */
	public function update( $table, $values, $keys, $key ) {
		$sets   = implode( ', ', array_map( fn( $column ) => self::name( $column ) . ' = ?', array_keys( $values ) ) );
		$update = $this->pdo->prepare( 'UPDATE main.' . self::name( $table ) . " SET $sets WHERE " . self::where( $keys ) );
		$this->bind( $update, $table, $values );
		foreach ( $key as $number => $value ) {
			$update->bindValue( count( $values ) + $number + 1, $value );
		}
		$update->execute();
		return $update->rowCount() > 0;
	}

	public function insert( $table, $values ) {
		$insert = $this->pdo->prepare(
			'INSERT INTO main.' . self::name( $table ) . ' (' . implode( ', ', array_map( array( self::class, 'name' ), array_keys( $values ) ) ) . ') VALUES (' . implode( ', ', array_fill( 0, count( $values ), '?' ) ) . ')'
		);
		$this->bind( $insert, $table, $values );
		$insert->execute();
	}

	/** Values keep their types: some tables are strict about them. */
	private function bind( $query, $table, $values ) {
		$types  = $this->diff->columns( 'main', $table )['types'];
		$number = 0;
		foreach ( $values as $column => $value ) {
			$blob = is_string( $value ) && 0 === strcasecmp( $types[ $column ] ?? '', 'BLOB' );
			$query->bindValue( ++$number, $value, null === $value ? PDO::PARAM_NULL : ( is_int( $value ) ? PDO::PARAM_INT : ( $blob ? PDO::PARAM_LOB : PDO::PARAM_STR ) ) );
		}
	}

	/** Numbers that follow from other rows. */
	public function count() {
		$table = fn( $name ) => 'main.' . self::name( $this->rules->prefix . $name );
		if ( ! $this->has_counts() ) {
			return;
		}
		$comments = "(SELECT count(*) FROM {$table( 'comments' )} c WHERE c.comment_post_ID = p.ID AND c.comment_approved = '1')";
		$this->pdo->exec( "UPDATE {$table( 'posts' )} AS p SET comment_count = $comments WHERE p.comment_count <> $comments AND 'post:' || p.ID IN (SELECT owner FROM work.op WHERE owner IS NOT NULL)" );
		$posts = "(SELECT count(*) FROM {$table( 'term_relationships' )} r JOIN {$table( 'posts' )} p ON p.ID = r.object_id WHERE r.term_taxonomy_id = t.term_taxonomy_id AND p.post_status = 'publish')";
		$this->pdo->exec( "UPDATE {$table( 'term_taxonomy' )} AS t SET count = $posts WHERE t.term_taxonomy_id IN (SELECT json_extract(key, '$[1]') FROM work.op WHERE tbl = '{$this->rules->prefix}term_relationships')" );
	}

	/** Whether the tables are there whose numbers follow from one another. */
	protected function has_counts() {
		foreach ( array( 'posts', 'comments', 'term_taxonomy', 'term_relationships' ) as $name ) {
			if ( null === $this->diff->columns( 'main', $this->rules->prefix . $name ) ) {
				return false;
			}
		}
		return true;
	}

	private static function where( $columns ) {
		return implode( ' AND ', array_map( fn( $column ) => self::name( $column ) . ' = ?', $columns ) );
	}

	private static function name( $name ) {
		return Easydash_Merge_Diff::name( $name );
	}
}
