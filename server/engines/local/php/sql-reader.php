<?php
/* Reads the statements of an SQL dump one after the other, in time linear to its size. */

final class Easydash_Sql_Reader {
	/** Bytes of one statement. */
	const MAX_STATEMENT = 33554432;
	const CHUNK         = 262144;

	private $file;
	/** A part of the file, where it begins in it, and how far it has been read. */
	private $text = '';
	private $base;
	private $at = 0;
	private $delimiter;

	public function __construct( $path, $offset, $delimiter ) {
		$this->file      = fopen( $path, 'rb' );
		$this->base      = $offset;
		$this->delimiter = $delimiter;
		fseek( $this->file, $offset );
	}

	public function delimiter() {
		return $this->delimiter;
	}

	/** Where the next statement begins in the file. */
	public function offset() {
		return $this->base + $this->at;
	}

	/** The next statement without its delimiter; null at the end. Throws if one is too long. */
	public function next() {
		while ( true ) {
			if ( $this->at > self::CHUNK ) {
				$this->base += $this->at;
				$this->text  = (string) substr( $this->text, $this->at );
				$this->at    = 0;
			}
			$this->skip_blank();
			if ( $this->at >= strlen( $this->text ) ) {
				return null;
			}
			/* A command of the client, not of the server. */
			if ( 0 === substr_compare( $this->text, 'DELIMITER ', $this->at, 10, true ) ) {
				$end             = $this->find( "\n", $this->at );
				$line            = trim( substr( $this->text, $this->at + 10, $end - $this->at - 10 ) );
				$this->delimiter = '' === $line ? ';' : substr( $line, 0, 16 );
				$this->at        = $end;
				continue;
			}
			$end       = $this->end();
			$statement = trim( substr( $this->text, $this->at, $end - $this->at ) );
			$this->at  = min( strlen( $this->text ), $end + strlen( $this->delimiter ) );
			if ( '' !== $statement ) {
				return $statement;
			}
		}
	}

	/** Skips white space and comments before a statement; comments for some versions only are part of one. */
	private function skip_blank() {
		while ( true ) {
			$this->at += strspn( $this->text, " \t\r\n\0\x0b\xef\xbb\xbf", $this->at );
			if ( strlen( $this->text ) - $this->at < 16 && $this->more() ) {
				continue;
			}
			if ( preg_match( '/\G(?:#|--(?:\s|$))/', $this->text, $found, 0, $this->at ) ) {
				$this->at = $this->find( "\n", $this->at );
			} elseif ( preg_match( '/\G\/\*(?!M?!)/', $this->text, $found, 0, $this->at ) ) {
				$this->at = min( strlen( $this->text ), $this->find( '*/', $this->at + 2 ) + 2 );
			} else {
				return;
			}
		}
	}

	/** Where the statement ends: at its delimiter, or with the file. */
	private function end() {
		$at    = $this->at;
		$stops = "'\"`-#/" . $this->delimiter[0];
		while ( true ) {
			$at += strcspn( $this->text, $stops, $at );
			if ( strlen( $this->text ) - $at < 16 && $this->more() ) {
				continue;
			}
			if ( $at >= strlen( $this->text ) ) {
				return strlen( $this->text );
			}
			if ( 0 === substr_compare( $this->text, $this->delimiter, $at, strlen( $this->delimiter ) ) ) {
				return $at;
			}
			$char = $this->text[ $at ];
			if ( "'" === $char || '"' === $char || '`' === $char ) {
				$at = $this->quoted( $at, $char );
			} elseif ( preg_match( '/\G(?:#|--(?:\s|$))/', $this->text, $found, 0, $at ) ) {
				$at = $this->find( "\n", $at );
			} elseif ( preg_match( '/\G\/\*(?!M?!)/', $this->text, $found, 0, $at ) ) {
				$at = min( strlen( $this->text ), $this->find( '*/', $at + 2 ) + 2 );
			} else {
				++$at;
			}
		}
	}

	/** The end of a quoted text that begins at a position. */
	private function quoted( $at, $quote ) {
		$stops = '`' === $quote ? $quote : $quote . '\\';
		++$at;
		while ( true ) {
			$at += strcspn( $this->text, $stops, $at );
			if ( $at + 1 >= strlen( $this->text ) && $this->more() ) {
				continue;
			}
			if ( $at >= strlen( $this->text ) ) {
				return $at;
			}
			if ( '\\' === $this->text[ $at ] || ( $this->text[ $at + 1 ] ?? '' ) === $quote ) {
				$at = min( strlen( $this->text ), $at + 2 );
				continue;
			}
			return $at + 1;
		}
	}

	/** Where a text begins; the end of the file if it does not occur. */
	private function find( $needle, $from ) {
		while ( true ) {
			$from  = min( $from, strlen( $this->text ) );
			$found = strpos( $this->text, $needle, $from );
			if ( false !== $found ) {
				return $found;
			}
			$from = max( $from, strlen( $this->text ) - strlen( $needle ) );
			if ( ! $this->more() ) {
				return strlen( $this->text );
			}
		}
	}

	/** Reads on. False at the end of the file. The more there is already, the more is read, so that nothing is copied often. */
	private function more() {
		$length = strlen( $this->text ) - $this->at;
		if ( $length > self::MAX_STATEMENT ) {
			throw new LengthException( 'A statement of the dump is larger than 32 MB.' );
		}
		$read = fread( $this->file, max( self::CHUNK, min( $length, 8388608 ) ) );
		if ( false === $read || '' === $read ) {
			return false;
		}
		$this->text .= $read;
		return true;
	}
}
