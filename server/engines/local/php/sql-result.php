<?php
/* What a statement of an admin returns, whichever kind of database runs it. */

trait Easydash_Sql_Result {
	/** Most bytes of a result. */
	private $max_result = 90000;

	/** A name of a column of the result. */
	private function label( $name ) {
		return mb_substr( mb_scrub( (string) $name, 'UTF-8' ), 0, $this->limits['name'], 'UTF-8' );
	}

	/** The result of a statement of which `$width` columns and one row more than the limit were read. */
	private function found( $columns, $width, $rows, $affected, $started ) {
		return $this->fitting(
			array(
				'columns'  => $columns,
				'omitted'  => $width - count( $columns ),
				'rows'     => array_slice( $rows, 0, $this->limits['result'] ),
				'more'     => count( $rows ) > $this->limits['result'],
				'affected' => $affected,
				'ms'       => (int) round( 1000 * ( microtime( true ) - $started ) ),
				'undo'     => null,
			)
		);
	}

	/** Shortens values, then leaves out rows, until the result has a size that can be passed on. */
	private function fitting( $found ) {
		for ( $length = $this->limits['value'] / 2; strlen( Easydash_Problem::json( $found ) ) > $this->max_result; $length /= 2 ) {
			if ( $length < 16 ) {
				$found['rows'] = array_slice( $found['rows'], 0, (int) ( count( $found['rows'] ) / 2 ) );
				$found['more'] = true;
			}
			foreach ( $found['rows'] as &$row ) {
				foreach ( $row as &$cell ) {
					if ( null !== $cell && mb_strlen( $cell['text'], 'UTF-8' ) > $length ) {
						$cell = array( 'text' => mb_substr( $cell['text'], 0, (int) max( 1, $length ), 'UTF-8' ), 'cut' => true ) + $cell;
					}
				}
				unset( $cell );
			}
			unset( $row );
		}
		return $found;
	}

	/** A value of a result. Without a known type it is a number if PHP has it as one. */
	private function cell( $value, $is_number = null ) {
		if ( null === $value ) {
			return null;
		}
		$text = is_bool( $value ) ? (string) (int) $value : (string) $value;
		$kind = ( $is_number ?? ( is_int( $value ) || is_float( $value ) ) ) ? 'number' : ( mb_check_encoding( $text, 'UTF-8' ) ? 'text' : 'binary' );
		$part = 'binary' === $kind ? bin2hex( substr( $text, 0, 32 ) ) : mb_substr( $text, 0, $this->limits['value'], 'UTF-8' );
		return array(
			'kind'  => $kind,
			'text'  => $part,
			'bytes' => strlen( $text ),
			'cut'   => strlen( $part ) < ( 'binary' === $kind ? 2 : 1 ) * strlen( $text ),
		);
	}
}

/** Why a statement did not run. */
final class Easydash_Problem extends Exception {
	public $why;

	public function __construct( $problem, $why = '' ) {
		parent::__construct( $problem );
		$this->why = mb_substr( mb_scrub( $why, 'UTF-8' ), 0, 600, 'UTF-8' );
	}

	public static function json( $value ) {
		return json_encode( $value, JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES );
	}
}
