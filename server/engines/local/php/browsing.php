<?php
/* What the table browser returns, whichever kind of database it reads. */

trait Easydash_Browsing {
	/** Bytes of the largest value of which parts are shown, and most bytes of a result. */
	private $max_value  = 64000000;
	private $max_result = 90000;
	/** Seconds until the rows of a table are not counted any more. */
	private $table_seconds = 1;

	public function tables() {
		$names  = $this->names();
		$tables = array();
		$end    = $this->until;
		foreach ( array_slice( $names, 0, $this->limits['tables'] ) as $name ) {
			/* One large table must not leave the others uncounted. */
			$this->until = min( $end, microtime( true ) + $this->table_seconds );
			$tables[]    = array( 'name' => $name ) + $this->measure( $name );
		}
		$bytes = $this->bytes();
		for ( ;; ) {
			$result = array(
				'bytes'   => $bytes,
				'tables'  => $tables,
				'omitted' => count( $names ) - count( $tables ),
			);
			if ( strlen( Easydash_Problem::json( $result ) ) <= $this->max_result ) {
				return $result;
			}
			$tables = array_slice( $tables, 0, (int) ( count( $tables ) * 0.8 ) );
		}
	}

	public function rows( $query ) {
		$table   = $this->table( $query['table'] );
		$columns = array_slice( $table['columns'], 0, $this->limits['columns'] );
		$found   = $this->find( $table, $query );
		$last    = count( $found ) <= $this->limits['rows'];
		$found   = array_slice( $found, 0, $this->limits['rows'] );
		$rows    = $this->cells( $table, $columns, $found );
		/* What ends here needs no counting. */
		$total  = $last && ( $found || 0 === $query['start'] ) ? $query['start'] + count( $found ) : $this->total( $table, $query );
		$result = array(
			'columns' => array_map(
				fn( $column ) => array( 'name' => $column['name'], 'type' => mb_substr( mb_scrub( $column['type'] ), 0, 100 ), 'key' => $column['key'], 'hidden' => $column['hidden'] ),
				$columns
			),
			'omitted' => count( $table['columns'] ) - count( $columns ),
			'rows'    => $rows,
			'total'   => null === $total ? null : min( $total, $this->limits['counted'] ),
			'more'    => null !== $total && $total > $this->limits['counted'],
			'last'    => $last,
		);
		return $this->fitting( $result );
	}

	/** A part of a value, shortened until it has a size that can be passed on. `$read` reads a number of its characters or bytes. */
	private function part( $kind, $bytes, $start, $read ) {
		for ( $length = $this->limits['part']; ; $length = (int) ( $length / 2 ) ) {
			/* One more than needed shows whether there is more. */
			$text = (string) $read( $start, $length + 1 );
			$unit = 'binary' === $kind ? 2 : 1;
			$next = mb_strlen( $text, 'UTF-8' ) > $length * $unit ? $start + $length : null;
			$cell = array(
				'kind'  => $kind,
				'text'  => mb_substr( $text, 0, $length * $unit, 'UTF-8' ),
				'bytes' => (int) $bytes,
				'next'  => $next,
			);
			if ( $length < 100 || strlen( Easydash_Problem::json( $cell ) ) <= $this->max_result ) {
				return $cell;
			}
		}
	}

	/** Shortens values, then leaves out columns, until the result has a size that can be passed on. */
	private function fitting( $result ) {
		for ( $length = $this->limits['preview'] / 2; strlen( Easydash_Problem::json( $result ) ) > $this->max_result; $length /= 2 ) {
			if ( $length < 4 ) {
				$kept               = (int) max( 1, count( $result['columns'] ) / 2 );
				$result['omitted'] += count( $result['columns'] ) - $kept;
				$result['columns']  = array_slice( $result['columns'], 0, $kept );
			}
			foreach ( $result['rows'] as &$row ) {
				$row['cells'] = array_slice( $row['cells'], 0, count( $result['columns'] ) );
				foreach ( $row['cells'] as &$cell ) {
					if ( null !== $cell && mb_strlen( $cell['text'], 'UTF-8' ) > $length ) {
						$cell = array( 'text' => mb_substr( $cell['text'], 0, (int) max( 1, $length ), 'UTF-8' ), 'cut' => true ) + $cell;
					}
				}
				unset( $cell );
			}
			unset( $row );
		}
		return $result;
	}
}
