<?php
/*
 * Fetches the media files that an export of content (WXR) names, from where it says they are. Their addresses are in options that the import
 * wrote, encoded, so that the new address of the site does not replace theirs. The site's own network rules hold.
 * Input: seconds (after which no further file is begun), most (seconds of one file, for which PHP must live), hosts (failed connections in a
 * row, by host), room (bytes for files), forget (the rest is not fetched). Result: fetched, failed (file, reason), hosts, left.
 */
require '/internal/easydash/load.php';
require_once ABSPATH . 'wp-admin/includes/file.php';
require_once ABSPATH . 'wp-admin/includes/image.php';
require_once ABSPATH . 'wp-admin/includes/media.php';

final class Easydash_Media {
	const OPTIONS = 'easydash_media_';
	/** Marks each attempt, which PHP may not survive. */
	const BEGUN    = '!';
	const ATTEMPTS = 2;
	/** Bytes of a file. */
	const MOST    = 268435456;
	const NO_ROOM = 'The site has no room for it.';
	/** Failed connections in a row after which a host is not asked any more. */
	const UNREACHABLE = 3;
	const REDIRECTS   = 3;
	/** Errors of cURL when nobody answers: no name, no connection, too late, no TLS, nothing, cut off, refused by our network rules. */
	const NO_ANSWER = '/\bcURL error (?:6|7|28|35|52|55|56)\b/';
	/** Seconds that smaller pictures still need where they can't be fetched. */
	const RESERVE = 10;
	/** Some servers run a file if any of its endings says so. */
	const PROGRAM = '/\.(?:php\d?|phtml|phar|pht|cgi|pl|py|shtml|asp|aspx|jsp)\./i';

	private $hosts;
	private $most;
	private $room;
	private $until = 0;

	public function __construct( $hosts, $most, $room ) {
		$this->hosts = $hosts;
		$this->most  = $most;
		$this->room  = $room;
	}

	public function run( $seconds ) {
		global $wpdb;
		$end     = microtime( true ) + $seconds;
		$fetched = 0;
		$failed  = array();
		$rows    = $wpdb->get_results( $wpdb->prepare( "SELECT option_name AS name, option_value AS value FROM $wpdb->options WHERE option_name LIKE %s ORDER BY option_id LIMIT 100", $wpdb->esc_like( self::OPTIONS ) . '%' ) );
		/* The paths that the export has stay. */
		add_filter( 'big_image_size_threshold', '__return_false' );
		add_filter( 'wp_image_maybe_exif_rotate', '__return_false' );
		foreach ( $rows as $row ) {
			if ( microtime( true ) > $end ) {
				break;
			}
			$this->until = microtime( true ) + $this->most;
			$id          = (int) substr( $row->name, strlen( self::OPTIONS ) );
			$file        = get_post_meta( $id, '_wp_attached_file', true );
			$file        = is_string( $file ) ? $file : '';
			$attempts    = strspn( $row->value, self::BEGUN );
			$reason      = 'PHP stopped at it.';
			if ( $attempts < self::ATTEMPTS ) {
				$wpdb->update( $wpdb->options, array( 'option_value' => self::BEGUN . $row->value ), array( 'option_name' => $row->name ) );
				$reason = $this->fetch( $id, $file, (string) base64_decode( ltrim( $row->value, self::BEGUN ) ), 0 === $attempts );
			}
			/* Without room it stays, and the caller sees that nothing gets less. */
			if ( ! $wpdb->delete( $wpdb->options, array( 'option_name' => $row->name ) ) ) {
				break;
			}
			if ( null === $reason ) {
				++$fetched;
			} else {
				$failed[] = array( easydash_text( $file, 300 ), easydash_text( $reason ) );
			}
		}
		return array(
			'fetched' => $fetched,
			'failed'  => $failed,
			'hosts'   => array_map( null, array_map( 'strval', array_keys( $this->hosts ) ), array_values( $this->hosts ) ),
			'left'    => $this->left(),
		);
	}

	public function forget() {
		global $wpdb;
		$left = $this->left();
		$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like( self::OPTIONS ) . '%' ) );
		return array( 'left' => $left );
	}

	private function left() {
		global $wpdb;
		return (int) $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like( self::OPTIONS ) . '%' ) );
	}

	/** Puts a file where its attachment says. Returns why that failed. `$makes`: smaller pictures are made, too. */
	private function fetch( $id, $file, $url, $makes ) {
		if ( ! $this->is_allowed( $file ) || 0 !== validate_file( $file ) ) {
			return 'Its path is not allowed.';
		}
		if ( ! wp_check_filetype( $file )['ext'] ) {
			return 'WordPress does not allow files of this type.';
		}
		$path = wp_upload_dir( null, false )['basedir'] . "/$file";
		if ( ! file_exists( $path ) ) {
			$reason = wp_mkdir_p( dirname( $path ) ) ? $this->download( $url, $path ) : 'Its folder could not be made.';
			if ( null !== $reason ) {
				return $reason;
			}
		}
		if ( $makes && ! $this->fetch_sizes( $id, $path, $url ) ) {
			$about = wp_generate_attachment_metadata( $id, $path );
			if ( $about ) {
				wp_update_attachment_metadata( $id, $about );
			}
		}
		return null;
	}

	private function is_allowed( $file ) {
		$name = basename( $file );
		return '' !== $file && preg_match( '/^[^\\\\\x00-\x1f]{1,1000}$/', $file ) && 0 !== strpos( $name, '.' ) && ! preg_match( self::PROGRAM, $name );
	}

	/** Fetches the smaller pictures that the export names, which its content shows. False unless all of them are there. */
	private function fetch_sizes( $id, $path, $url ) {
		$about = wp_get_attachment_metadata( $id, true );
		if ( ! is_array( $about ) || ! isset( $about['sizes'] ) || ! is_array( $about['sizes'] ) || array() === $about['sizes'] ) {
			return false;
		}
		$names = array_column( array_filter( $about['sizes'], 'is_array' ), 'file' );
		foreach ( array_unique( array_filter( $names, 'is_string' ) ) as $name ) {
			$to = dirname( $path ) . "/$name";
			if ( basename( $name ) !== $name || ! $this->is_allowed( $name ) || ! wp_check_filetype( $name )['ext'] || $this->seconds() < self::RESERVE ) {
				return false;
			}
			if ( ! file_exists( $to ) && null !== $this->download( dirname( $url ) . '/' . rawurlencode( $name ), $to ) ) {
				return false;
			}
		}
		return true;
	}

	private function seconds() {
		return $this->until - microtime( true );
	}

	private function download( $url, $path ) {
		$part = dirname( $path ) . '/.easydash-' . md5( $path );
		if ( file_exists( $part ) ) {
			unlink( $part );
		}
		$reason = $this->room > 0 ? $this->receive( $url, $part, basename( $path ) ) : self::NO_ROOM;
		if ( null === $reason && ! rename( $part, $path ) ) {
			$reason = 'It could not be put into its place.';
		}
		if ( null === $reason ) {
			$this->room -= (int) filesize( $path );
		}
		if ( file_exists( $part ) ) {
			unlink( $part );
		}
		return $reason;
	}

	/** Follows redirects itself: each of them would get all the time there is. */
	private function receive( $url, $part, $name ) {
		for ( $redirects = 0; $redirects <= self::REDIRECTS; ++$redirects ) {
			$host = (string) wp_parse_url( $url, PHP_URL_HOST );
			if ( ( $this->hosts[ $host ] ?? 0 ) >= self::UNREACHABLE ) {
				return 'Its host does not answer.';
			}
			$found = wp_remote_get(
				$url,
				array(
					'timeout'             => max( 1, (int) $this->seconds() ),
					'redirection'         => 0,
					/* A response in pieces that is cut off is an error then. */
					'httpversion'         => '1.1',
					'stream'              => true,
					'filename'            => $part,
					'limit_response_size' => min( self::MOST, $this->room ) + 1,
					'headers'             => array( 'Accept-Encoding' => 'identity' ),
				)
			);
			clearstatcache();
			if ( is_wp_error( $found ) ) {
				$has_begun            = file_exists( $part ) && filesize( $part ) > 0;
				$this->hosts[ $host ] = ! $has_begun && preg_match( self::NO_ANSWER, $found->get_error_message() ) ? 1 + ( $this->hosts[ $host ] ?? 0 ) : 0;
				return $found->get_error_message();
			}
			unset( $this->hosts[ $host ] );
			$next = wp_remote_retrieve_header( $found, 'location' );
			if ( ! in_array( (int) wp_remote_retrieve_response_code( $found ), array( 301, 302, 303, 307, 308 ), true ) || ! is_string( $next ) || '' === $next ) {
				return $this->judge( $found, $part, $name );
			}
			$url = WP_Http::make_absolute_url( $next, $url );
			if ( $this->seconds() < 1 ) {
				return 'It took too long.';
			}
		}
		return 'It leads from one address to the next.';
	}

	/** Why a response is not the file; null if it is. */
	private function judge( $found, $part, $name ) {
		$status = (int) wp_remote_retrieve_response_code( $found );
		if ( 200 !== $status ) {
			return "Its site answered with status $status.";
		}
		$size = file_exists( $part ) ? (int) filesize( $part ) : 0;
		$said = wp_remote_retrieve_header( $found, 'content-length' );
		if ( $size > self::MOST ) {
			return 'It is larger than 256 MB.';
		}
		if ( $size > $this->room ) {
			return self::NO_ROOM;
		}
		if ( 0 === $size || ( is_string( $said ) && '' !== $said && (int) $said !== $size ) ) {
			return 'It came incomplete.';
		}
		return wp_check_filetype_and_ext( $part, $name )['ext'] ? null : 'Its content is of another type.';
	}
}

$easydash_media = new Easydash_Media( (array) ( $easydash_input['hosts'] ?? array() ), $easydash_input['most'] ?? 0, $easydash_input['room'] ?? 0 );
easydash_result( empty( $easydash_input['forget'] ) ? $easydash_media->run( $easydash_input['seconds'] ) : $easydash_media->forget() );
