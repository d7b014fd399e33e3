<?php
/*
 * Shows the database of a site: tables, rows of a table, and single values. No code of the site runs. The database is opened
 * for reading only, and an authorizer refuses everything but SELECT.
 * Input: do (tables, rows or cell), mysql (what to connect with, or `own`: as the site itself; absent: SQLite) and what `site-database.ts` says. Result: `found`, or `problem` (missing, hidden, late, large or failed).
 */
require '/internal/easydash/reader.php';
require '/internal/easydash/browsing.php';

final class Easydash_Browser extends Easydash_Reader {
	use Easydash_Browsing;

	public function cell( $query ) {
		$table  = $this->table( $query['table'] );
		$column = $this->column( $table, $query['column'] );
		if ( null === $table['id'] || ! preg_match( '/^-?\d{1,19}$/', $query['row'] ) ) {
			throw new Easydash_Problem( 'missing' );
		}
		$value = $this->name( $column['name'] );
		$where = ' FROM ' . $this->name( $table['name'] ) . " WHERE {$table['id']} = CAST(:row AS INTEGER)";
		$row   = $this->first( "SELECT typeof($value), octet_length($value), " . $column['secret'] . $where, array( ':row' => $query['row'] ) );
		if ( null === $row ) {
			throw new Easydash_Problem( 'missing' );
		}
		list( $type, $bytes, $secret ) = $row;
		if ( $secret ) {
			throw new Easydash_Problem( 'hidden' );
		}
		if ( $bytes > $this->max_value ) {
			throw new Easydash_Problem( 'large' );
		}
		$kind = self::kind( $type );
		return $this->part(
			$kind,
			$bytes,
			(int) $query['start'],
			function ( $start, $length ) use ( $kind, $value, $where, $query ) {
				$part = "substr($value, :start, $length)";
				return $this->first( 'SELECT ' . ( 'binary' === $kind ? "hex($part)" : "CAST($part AS TEXT)" ) . $where, array( ':row' => $query['row'], ':start' => $start + 1 ) )[0];
			}
		);
	}

	private function bytes() {
		clearstatcache();
		return filesize( self::DATABASE );
	}

	/** Number of rows and estimated size. */
	private function measure( $name ) {
		$table  = $this->table( $name, false );
		$result = array( 'rows' => null, 'more' => false, 'bytes' => null, 'columns' => count( $table['columns'] ) );
		try {
			$rows = $this->count( $table, $this->ticking( $table ), array() );
			$size = array();
			$sum  = implode( ' + ', array_map( fn( $column ) => 'coalesce(octet_length(' . $this->name( $column['name'] ) . '), 0)', $table['columns'] ) );
			foreach ( null === $table['id'] ? array( '' ) : array( '', " ORDER BY {$table['id']} DESC" ) as $order ) {
				$size[] = (float) $this->first( "SELECT avg(size) FROM (SELECT 8 + $sum AS size FROM " . $this->name( $name ) . $order . ' LIMIT 100)' )[0];
			}
			$more   = $rows > $this->limits['counted'];
			$guess  = $more && null !== $table['id'] ? max( $rows, (float) $this->first( "SELECT max({$table['id']}) FROM " . $this->name( $name ) )[0] ) : $rows;
			$result = array(
				'rows'  => min( $rows, $this->limits['counted'] ),
				'more'  => $more,
				'bytes' => (int) min( filesize( self::DATABASE ), round( $guess * array_sum( $size ) / count( $size ) ) ),
			) + $result;
		} catch ( Exception $error ) {
			/* Too slow, or a table that can't be read: the others are listed. */
			return $result;
		}
		return $result;
	}

	/** Identifiers of the rows to show, and of one more; or the rows' positions if there are none. */
	private function find( $table, $query ) {
		list( $where, $bound ) = $this->condition( $table, $query );
		$id    = $table['id'] ?? 'NULL';
		$order = null === $table['id'] ? '' : " ORDER BY $id";
		if ( null !== $query['sort'] ) {
			$column = $this->column( $table, $query['sort']['column'] );
			if ( $column['hidden'] ) {
				throw new Easydash_Problem( 'hidden' );
			}
			$value = $this->name( $column['name'] );
			$value = '0' === $column['secret'] ? $value : "CASE WHEN {$column['secret']} THEN NULL ELSE $value END";
			$order = " ORDER BY $value " . ( $query['sort']['descending'] ? 'DESC' : 'ASC' ) . ( null === $table['id'] ? '' : ", $id" );
		}
		if ( null === $table['id'] ) {
			return $this->all( 'SELECT * FROM ' . $this->name( $table['name'] ) . $where . $order . ' LIMIT ' . ( $this->limits['rows'] + 1 ) . ' OFFSET ' . (int) $query['start'], $bound );
		}
		$rows = $this->all( "SELECT CAST($id AS TEXT) AS id FROM " . $this->name( $table['name'] ) . $where . $order . ' LIMIT ' . ( $this->limits['rows'] + 1 ) . ' OFFSET ' . (int) $query['start'], $bound );
		return array_column( $rows, 'id' );
	}

	private function total( $table, $query ) {
		try {
			list( $where, $bound ) = $this->condition( $table, $query );
			return $this->count( $table, $where, $bound );
		} catch ( Exception $error ) {
			return null;
		}
	}

	private function count( $table, $where, $bound ) {
		return (int) $this->first( 'SELECT count(*) FROM (SELECT 1 FROM ' . $this->name( $table['name'] ) . $where . ' LIMIT ' . ( $this->limits['counted'] + 1 ) . ')', $bound )[0];
	}

	/** A condition that ends the search in time: it looks at the clock once in 1,024 rows. */
	private function ticking( $table ) {
		return null === $table['id'] ? ' WHERE 1' : " WHERE ({$table['id']} & 1023 OR easydash_tick())";
	}

	private function condition( $table, $query ) {
		$where = $this->ticking( $table );
		if ( null === $query['filter'] ) {
			return array( $where, array() );
		}
		$filter = $query['filter'];
		$column = $this->column( $table, $filter['column'] );
		if ( $column['hidden'] ) {
			throw new Easydash_Problem( 'hidden' );
		}
		$name  = $this->name( $column['name'] );
		$tests = array(
			'contains' => "$name LIKE :value ESCAPE '\\'",
			'starts'   => "$name LIKE :value ESCAPE '\\'",
			'equals'   => "$name = :value",
			'differs'  => "$name <> :value",
			'less'     => "$name < :value",
			'greater'  => "$name > :value",
			'null'     => "$name IS NULL",
			'not_null' => "$name IS NOT NULL",
		);
		$test  = $tests[ $filter['operator'] ];
		$value = $filter['value'];
		if ( in_array( $filter['operator'], array( 'contains', 'starts' ), true ) ) {
			$value = ( 'contains' === $filter['operator'] ? '%' : '' ) . addcslashes( $value, '%_\\' ) . '%';
		}
		return array( "$where AND ($test) AND NOT ({$column['secret']})", false === strpos( $test, ':value' ) ? array() : array( ':value' => $value ) );
	}

	/** Values of the found rows, in their order. */
	private function cells( $table, $columns, $found ) {
		if ( ! $found ) {
			return array();
		}
		if ( null === $table['id'] ) {
			/* Rarely used: such a row can't be named, so its values are cut here. */
			return array_map( fn( $row ) => array( 'row' => null, 'cells' => array_map( fn( $column ) => self::shown( $row[ $column['name'] ], $column, $row, $this->limits['preview'] ), $columns ) ), $found );
		}
		$length = (int) max( 16, min( $this->limits['preview'], 60000 / ( count( $found ) * count( $columns ) ) ) );
		$select = array();
		foreach ( $columns as $number => $column ) {
			$value    = $this->name( $column['name'] );
			$select[] = "CASE WHEN $value IS NULL THEN 'null' WHEN {$column['secret']} THEN 'hidden' ELSE typeof($value) END AS t$number";
			$select[] = "CASE WHEN {$column['secret']} THEN '' WHEN typeof($value) = 'blob' THEN hex(substr($value, 1, 32)) ELSE CAST(substr($value, 1, $length) AS TEXT) END AS v$number";
			$select[] = "octet_length($value) AS b$number";
		}
		$ids  = implode( ', ', array_map( fn( $id ) => "CAST('$id' AS INTEGER)", $found ) );
		$rows = array();
		foreach ( $this->all( "SELECT CAST({$table['id']} AS TEXT) AS id, " . implode( ', ', $select ) . ' FROM ' . $this->name( $table['name'] ) . " WHERE {$table['id']} IN ($ids)" ) as $row ) {
			$cells = array();
			foreach ( array_keys( $columns ) as $number ) {
				$kind    = self::kind( $row[ "t$number" ] );
				$text    = (string) $row[ "v$number" ];
				$bytes   = (int) $row[ "b$number" ];
				$cells[] = null === $kind ? null : array(
					'kind'  => $kind,
					'text'  => $text,
					'bytes' => 'hidden' === $kind ? 0 : $bytes,
					'cut'   => 'hidden' !== $kind && strlen( $text ) < ( 'binary' === $kind ? 2 : 1 ) * $bytes,
				);
			}
			$rows[ $row['id'] ] = array( 'row' => $row['id'], 'cells' => $cells );
		}
		return array_values( array_filter( array_map( fn( $id ) => $rows[ $id ] ?? null, $found ) ) );
	}

	private static function shown( $value, $column, $row, $length ) {
		if ( null === $value ) {
			return null;
		}
		if ( $column['hidden'] || ( null !== $column['named_by'] && Easydash_Secrets::is_named( (string) $row[ $column['named_by'] ] ) ) ) {
			return array( 'kind' => 'hidden', 'text' => '', 'bytes' => 0, 'cut' => false );
		}
		$text = mb_substr( mb_scrub( (string) $value, 'UTF-8' ), 0, $length, 'UTF-8' );
		return array( 'kind' => is_string( $value ) ? 'text' : 'number', 'text' => $text, 'bytes' => strlen( (string) $value ), 'cut' => strlen( $text ) < strlen( (string) $value ) );
	}

	private static function kind( $type ) {
		return array( 'null' => null, 'hidden' => 'hidden', 'integer' => 'number', 'real' => 'number', 'blob' => 'binary', 'text' => 'text' )[ $type ];
	}
}

$input = json_decode( $_SERVER['EASYDASH_INPUT'], true );
try {
	if ( isset( $input['mysql'] ) ) {
		require '/internal/easydash/browse-mysql.php';
		$browser = new Easydash_Mysql_Browser( $input['limits'], 'own' === $input['mysql'] ? easydash_login() : $input['mysql'] );
	} else {
		$browser = new Easydash_Browser( $input['limits'] );
	}
	$result  = array( 'found' => 'tables' === $input['do'] ? $browser->tables() : ( 'rows' === $input['do'] ? $browser->rows( $input ) : $browser->cell( $input ) ) );
} catch ( Easydash_Problem $problem ) {
	$result = array( 'problem' => $problem->getMessage() );
} catch ( Throwable $error ) {
	$result = array( 'problem' => 'failed', 'why' => mb_substr( mb_scrub( $error->getMessage(), 'UTF-8' ), 0, 300, 'UTF-8' ) );
}
file_put_contents( $_SERVER['EASYDASH_RESULT'], Easydash_Problem::json( $result ) );
