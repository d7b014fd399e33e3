<?php
/*
 * Fetches the media files that an export of content (WXR) names, from where it says they are. Their addresses are in options that the import
 * wrote, encoded, so that the new address of the site does not replace theirs. The site's own network rules hold.
 * Input: seconds (after which no further file is begun), forget (the rest is not fetched). Result: fetched, failed (file, reason), left.
 */
require '/internal/easydash/load.php';
require_once ABSPATH . 'wp-admin/includes/file.php';
require_once ABSPATH . 'wp-admin/includes/image.php';
require_once ABSPATH . 'wp-admin/includes/media.php';

final class Easydash_Media {
	const OPTIONS = 'easydash_media_';
	/** Marks a file whose earlier attempt PHP did not survive. */
	const BEGUN = '!';
	/** Bytes of a file, as WordPress' own importer could have them from most hosts. */
	const MOST = 268435456;
	/** Failed connections in a row after which the others would fail, too. */
	const UNREACHABLE = 3;
	const SECONDS     = 30;

	private $fetched = array();
	private $failed  = array();
	private $refused = 0;

	public function run( $seconds ) {
		global $wpdb;
		$until = microtime( true ) + $seconds;
		$rows  = $wpdb->get_results( $wpdb->prepare( "SELECT option_name AS name, option_value AS value FROM $wpdb->options WHERE option_name LIKE %s ORDER BY option_id LIMIT 100", $wpdb->esc_like( self::OPTIONS ) . '%' ) );
		/* The paths that the export has stay, also those of large pictures. */
		add_filter( 'big_image_size_threshold', '__return_false' );
		foreach ( $rows as $row ) {
			if ( microtime( true ) > $until || $this->refused >= self::UNREACHABLE ) {
				break;
			}
			$id     = (int) substr( $row->name, strlen( self::OPTIONS ) );
			$file   = get_post_meta( $id, '_wp_attached_file', true );
			$file   = is_string( $file ) ? $file : '';
			$reason = 'PHP stopped at it.';
			if ( 0 !== strpos( $row->value, self::BEGUN ) ) {
				$wpdb->update( $wpdb->options, array( 'option_value' => self::BEGUN . $row->value ), array( 'option_name' => $row->name ) );
				$reason = $this->fetch( $id, $file, (string) base64_decode( $row->value ) );
			}
			$wpdb->delete( $wpdb->options, array( 'option_name' => $row->name ) );
			if ( null === $reason ) {
				$this->fetched[] = $id;
			} else {
				$this->failed[] = array( easydash_text( $file, 300 ), easydash_text( $reason ) );
			}
		}
		return array(
			'fetched'     => count( $this->fetched ),
			'failed'      => $this->failed,
			'left'        => $this->left(),
			'unreachable' => $this->refused >= self::UNREACHABLE,
		);
	}

	public function forget() {
		global $wpdb;
		$left = $this->left();
		$wpdb->query( $wpdb->prepare( "DELETE FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like( self::OPTIONS ) . '%' ) );
		return array(
			'fetched' => 0,
			'failed'  => array(),
			'left'    => $left,
		);
	}

	private function left() {
		global $wpdb;
		return (int) $wpdb->get_var( $wpdb->prepare( "SELECT COUNT(*) FROM $wpdb->options WHERE option_name LIKE %s", $wpdb->esc_like( self::OPTIONS ) . '%' ) );
	}

	/** Puts a file where its attachment says. Returns why that failed. */
	private function fetch( $id, $file, $url ) {
		if ( '' === $file || 0 !== validate_file( $file ) || ! preg_match( '/^[^\\\\\x00-\x1f]{1,1000}$/', $file ) || 0 === strpos( basename( $file ), '.' ) ) {
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
		/* Pages show smaller pictures, which are made of it. */
		$about = wp_generate_attachment_metadata( $id, $path );
		if ( $about ) {
			wp_update_attachment_metadata( $id, $about );
		}
		return null;
	}

	private function download( $url, $path ) {
		$part  = dirname( $path ) . '/.easydash-' . md5( $path );
		$found = wp_remote_get(
			$url,
			array(
				'timeout'             => self::SECONDS,
				'redirection'         => 3,
				'stream'              => true,
				'filename'            => $part,
				'limit_response_size' => self::MOST + 1,
				'headers'             => array( 'Accept-Encoding' => 'identity' ),
			)
		);
		$reason = $this->judge( $found, $part, basename( $path ) );
		if ( null === $reason && ! rename( $part, $path ) ) {
			$reason = 'It could not be put into its place.';
		}
		if ( file_exists( $part ) ) {
			unlink( $part );
		}
		return $reason;
	}

	/** Why a response is not the file; null if it is. */
	private function judge( $found, $part, $name ) {
		if ( is_wp_error( $found ) ) {
			++$this->refused;
			return $found->get_error_message();
		}
		$this->refused = 0;
		$status        = (int) wp_remote_retrieve_response_code( $found );
		if ( 200 !== $status ) {
			return "Its site answered with status $status.";
		}
		clearstatcache();
		$size = file_exists( $part ) ? (int) filesize( $part ) : 0;
		$said = wp_remote_retrieve_header( $found, 'content-length' );
		if ( $size > self::MOST ) {
			return 'It is larger than 256 MB.';
		}
		if ( 0 === $size || ( is_string( $said ) && '' !== $said && (int) $said !== $size ) ) {
			return 'It came incomplete.';
		}
		return wp_check_filetype_and_ext( $part, $name )['ext'] ? null : 'Its content is of another type.';
	}
}

$easydash_media = new Easydash_Media();
easydash_result( empty( $easydash_input['forget'] ) ? $easydash_media->run( $easydash_input['seconds'] ) : $easydash_media->forget() );
