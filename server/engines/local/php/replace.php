<?php
/* Replaces the address of a site in texts of any kind, PHP-serialized ones included: their lengths stay right. */

final class Easydash_Replacer {
	/** Texts that look serialized but are not, and were left as they are. */
	public $broken = 0;
	/** Addresses that were replaced. */
	public $places = 0;
	private $pattern;
	private $from;
	private $to;
	private $hosts;
	private $port;
	private $scheme;

	/** Deepest nesting that is followed. */
	const MAX_DEPTH = 200;
	/** Serialized texts within serialized texts. */
	const MAX_LAYERS = 8;

	/**
	 * @param string $from and $to: host with its port, if it has one; $from can have a path, which the new address has not.
	 * @param bool $without_port Replaces addresses of the host without its port, too.
	 * @param string|null $scheme Of the new address, if it is to replace that of the old one.
	 */
	public function __construct( $from, $to, $without_port = false, $scheme = null ) {
		list( $from, $path )         = explode( '/', $from, 2 ) + array( 1 => '' );
		list( $host, $port )         = explode( ':', $from ) + array( 1 => null );
		list( $new_host, $new_port ) = explode( ':', $to ) + array( 1 => null );
		/* After "//", also as JSON and URLs write it, and not the beginning of a longer name or port. */
		$slash         = '(?:\\\\{0,3}/|%(?:25)?2f)';
		$this->pattern = '~' . ( null === $scheme ? '' : '(?:(?<scheme>https?)(?<mark>:|%(?:25)?3a))?' )
			. '(?<slashes>(?:\\\\{0,3}/){2}|(?:%(?:25)?2f){2})' . preg_quote( $host, '~' )
			. ( null === $port ? '' : ( $without_port ? '(?:(?<colon>:|%(?:25)?3a)' . $port . ')?' : '(?<colon>:|%(?:25)?3a)' . $port ) )
			. ( '' === $path ? '' : $slash . implode( $slash, array_map( function ( $part ) { return preg_quote( $part, '~' ); }, explode( '/', $path ) ) ) )
			. '(?![\w-]|\.\w|(?::|%(?:25)?3a)\d)~i';
		$this->from  = $from;
		$this->to    = $to;
		$this->hosts = array( $without_port && null !== $port ? $host : null, $new_host );
		$this->port   = $new_port;
		$this->scheme = $scheme;
	}

	/** The text with the new address. */
	public function text( $text, $layer = 0 ) {
		if ( $text === $this->from ) {
			++$this->places;
			return $this->to;
		}
		if ( $text === $this->hosts[0] ) {
			++$this->places;
			return $this->hosts[1];
		}
		if ( ! preg_match( '/^(?:[aOCEsS]:\d+:["{]|[bidN][:;])/', $text ) || ! in_array( substr( $text, -1 ), array( ';', '}' ), true ) ) {
			return $this->plain( $text );
		}
		$at  = 0;
		$out = $layer < self::MAX_LAYERS ? $this->value( $text, $at, 0, $layer ) : null;
		if ( null !== $out && strlen( $text ) === $at ) {
			return $out;
		}
		if ( ! preg_match( '/^[aOCEsS]:/', $text ) ) {
			return $this->plain( $text );
		}
		++$this->broken;
		return $text;
	}

	private function plain( $text ) {
		$out = preg_replace_callback(
			$this->pattern,
			function ( $match ) {
				$slashes = $match['slashes'];
				$colon   = $match['colon'] ?? '';
				$colon   = '' !== $colon ? $colon : ( '%' === $slashes[0] ? '%3A' : ':' );
				$scheme  = '' === ( $match['scheme'] ?? '' ) ? '' : $this->scheme . $match['mark'];
				return $scheme . $slashes . $this->hosts[1] . ( null === $this->port ? '' : $colon . $this->port );
			},
			$text,
			-1,
			$count
		);
		if ( null === $out ) {
			return $text;
		}
		$this->places += $count;
		return $out;
	}

	/** Digits up to a sign; moves behind it. Null if there are none. */
	private function number( $text, &$at, $end ) {
		$length = strspn( $text, '0123456789', $at, 10 );
		if ( 0 === $length || substr( $text, $at + $length, 1 ) !== $end ) {
			return null;
		}
		$number = (int) substr( $text, $at, $length );
		$at    += $length + 1;
		return $number;
	}

	/** A string with its length in bytes: `3:"abc"`; moves behind it. Null if it is none. */
	private function string( $text, &$at ) {
		$length = $this->number( $text, $at, ':' );
		if ( null === $length || $length > strlen( $text ) - $at - 2 || '"' !== $text[ $at ] || '"' !== $text[ $at + 1 + $length ] ) {
			return null;
		}
		$string = substr( $text, $at + 1, $length );
		$at    += $length + 2;
		return $string;
	}

	/** The serialized value at a position, with the new address; moves behind it. Null if it is none. */
	private function value( $text, &$at, $depth, $layer ) {
		if ( $depth > self::MAX_DEPTH ) {
			return null;
		}
		$kind = substr( $text, $at, 2 );
		if ( preg_match( '/\G(?:N;|b:[01];|[irR]:[+-]?\d{1,20};|d:(?:[+-]?(?:\d[\d.]{0,40}(?:E[+-]?\d{1,4})?|INF)|NAN);)/i', $text, $match, 0, $at ) ) {
			$at += strlen( $match[0] );
			return $match[0];
		}
		$start = $at;
		$at   += 2;
		if ( 's:' === $kind ) {
			$string = $this->string( $text, $at );
			if ( null === $string || ';' !== substr( $text, $at, 1 ) ) {
				return null;
			}
			++$at;
			$string = $this->text( $string, $layer + 1 );
			return 's:' . strlen( $string ) . ':"' . $string . '";';
		}
		if ( 'a:' === $kind ) {
			return $this->pairs( $text, $at, $start, $depth, $layer );
		}
		if ( 'O:' === $kind ) {
			if ( null === $this->string( $text, $at ) || ':' !== substr( $text, $at, 1 ) ) {
				return null;
			}
			++$at;
			return $this->pairs( $text, $at, $start, $depth, $layer );
		}
		if ( 'E:' === $kind ) {
			if ( null === $this->string( $text, $at ) || ';' !== substr( $text, $at, 1 ) ) {
				return null;
			}
			++$at;
			return substr( $text, $start, $at - $start );
		}
		if ( 'C:' === $kind ) {
			/* Only its class knows what is in it. */
			$length = null === $this->string( $text, $at ) || ':' !== substr( $text, $at++, 1 ) ? null : $this->number( $text, $at, ':' );
			if ( null === $length || $length > strlen( $text ) - $at - 2 || '{' !== $text[ $at ] || '}' !== $text[ $at + 1 + $length ] ) {
				return null;
			}
			$at += $length + 2;
			return substr( $text, $start, $at - $start );
		}
		return null;
	}

	/** The rest of an array or object: `2:{…}`. Keys stay as they are. */
	private function pairs( $text, &$at, $start, $depth, $layer ) {
		$count = $this->number( $text, $at, ':' );
		if ( null === $count || '{' !== substr( $text, $at, 1 ) ) {
			return null;
		}
		++$at;
		$out = substr( $text, $start, $at - $start );
		for ( $pair = 0; $pair < $count; ++$pair ) {
			$key = $at;
			if ( preg_match( '/\Gi:-?\d{1,20};/', $text, $match, 0, $at ) ) {
				$at += strlen( $match[0] );
			} else {
				$at += 2;
				if ( 's:' !== substr( $text, $key, 2 ) || null === $this->string( $text, $at ) || ';' !== substr( $text, $at++, 1 ) ) {
					return null;
				}
			}
			$out  .= substr( $text, $key, $at - $key );
			$value = $this->value( $text, $at, $depth + 1, $layer );
			if ( null === $value ) {
				return null;
			}
			$out .= $value;
		}
		if ( '}' !== substr( $text, $at, 1 ) ) {
			return null;
		}
		++$at;
		return $out . '}';
	}
}
