<?php
/*
 * Runs before every request, outside the site's folder. A convenience for WordPress, not a security boundary:
 * the isolation boundaries are in the process around PHP.
 */

/* The address under which this request sees the site: the primary one, or that of a declared alias. */
if ( isset( $_SERVER['EASYDASH_HOME'] ) ) {
	if ( defined( 'EASYDASH_NETWORK' ) ) {
		/* A network has its addresses in its database, and finds the site by host and path. */
		$_SERVER['HTTP_HOST'] = substr( strstr( $_SERVER['EASYDASH_HOME'], '//' ), 2 );
		/* wp_normalize_site_data() treats the domain of a new site like a user name, which drops the colon before the port. */
		$GLOBALS['wp_filter']['sanitize_user'][0]['easydash'] = array(
			'function'      => function ( $name, $raw ) {
				return defined( 'DOMAIN_CURRENT_SITE' ) && DOMAIN_CURRENT_SITE === $raw ? $raw : $name;
			},
			'accepted_args' => 2,
		);
	} elseif ( defined( 'DISABLE_WP_CRON' ) ) {
		defined( 'WP_HOME' ) || define( 'WP_HOME', $_SERVER['EASYDASH_HOME'] );
		defined( 'WP_SITEURL' ) || define( 'WP_SITEURL', $_SERVER['EASYDASH_HOME'] );
	}
	/* Browsers trust such names without HTTPS, and so should WordPress, for application passwords. What the site defines itself stays valid. */
	if ( preg_match( '~^http://[^/]+\.localhost(?::\d+)?$~i', $_SERVER['EASYDASH_HOME'] ) ) {
		putenv( 'WP_ENVIRONMENT_TYPE=local' );
	}
	unset( $_SERVER['EASYDASH_HOME'] );
}

/* Bytes that are no text pass the way to PHP encoded. */
if ( isset( $_SERVER['EASYDASH_PATH_INFO'] ) ) {
	$_SERVER['PATH_INFO'] = rawurldecode( $_SERVER['EASYDASH_PATH_INFO'] );
	unset( $_SERVER['EASYDASH_PATH_INFO'] );
}

/** Names and sizes of attachments, whose content is not kept. A key that is no number is the name. */
function easydash_attachments( $given ) {
	$attachments = array();
	foreach ( is_array( $given ) ? $given : explode( "\n", str_replace( "\r\n", "\n", (string) $given ) ) as $name => $path ) {
		if ( ! is_string( $path ) || '' === $path || count( $attachments ) >= 100 ) {
			continue;
		}
		$attachments[] = array(
			'name'  => is_string( $name ) && '' !== $name ? $name : basename( $path ),
			'bytes' => is_file( $path ) ? filesize( $path ) : null,
		);
	}
	return $attachments;
}

/** What WordPress would send a mail as if it has no header for it: plugins change that by a filter. */
function easydash_mail_default( $filter, $default ) {
	$value = function_exists( 'apply_filters' ) ? apply_filters( $filter, $default ) : $default;
	return is_string( $value ) ? $value : $default;
}

/** Keeps a mail in the site's outbox instead of sending it. Names of files sort by time, within a second too. */
function easydash_keep_mail( $to, $subject, $message, $headers, $attachments = array() ) {
	list( $fraction, $seconds ) = explode( ' ', microtime() );
	$mail = array(
		'at'           => gmdate( 'c', (int) $seconds ),
		'to'           => $to,
		'from'         => easydash_mail_default( 'wp_mail_from', '' ),
		'subject'      => (string) $subject,
		'message'      => (string) $message,
		'headers'      => $headers,
		'content_type' => easydash_mail_default( 'wp_mail_content_type', 'text/plain' ),
		'attachments'  => easydash_attachments( $attachments ),
	);
	/* The clock may have the same time for several mails of a request. */
	static $count = 0;
	$order = sprintf( '%05x%02x', (int) ( $fraction * 1000000 ), min( 255, $count++ ) ) . substr( bin2hex( random_bytes( 3 ) ), 0, 5 );
	$name  = '/easydash/outbox/' . gmdate( 'Ymd\THis', (int) $seconds ) . '-' . $order . '.json';
	return false !== file_put_contents( $name, json_encode( $mail, JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR ) );
}

/* The built-in mail() would start a program, which hangs for ever here; it is disabled and may be declared anew. */
if ( ! function_exists( 'mail' ) ) {
	function mail( $to, $subject, $message, $additional_headers = array(), $additional_params = '' ) {
		return easydash_keep_mail( $to, $subject, $message, $additional_headers );
	}
}

/* How long a request may run is not the site's to say; what PHP reports as the limit stays true. */
if ( ! function_exists( 'set_time_limit' ) ) {
	function set_time_limit( $seconds ) {
		return false;
	}
}

/*
 * People who are signed in to wp-admin may wait longer: imports, updates. As everywhere here, WordPress turns filters set before it
 * loads into real ones.
 */
if ( defined( 'EASYDASH_ADMIN_SECONDS' ) && ! isset( $_SERVER['EASYDASH_RESULT'] ) ) {
	$GLOBALS['wp_filter']['init'][-9999]['easydash-admin'] = array(
		'function'      => function () {
			if ( current_user_can( 'edit_posts' ) || ( is_admin() && is_user_logged_in() ) ) {
				file_put_contents( '/internal/easydash/admin', '1' );
				ini_set( 'max_execution_time', (string) EASYDASH_ADMIN_SECONDS );
			}
		},
		'accepted_args' => 0,
	);
}

$GLOBALS['wp_filter']['pre_wp_mail'][0]['easydash'] = array(
	'function'      => function ( $sent, $mail ) {
		return null === $sent ? easydash_keep_mail( $mail['to'], $mail['subject'], $mail['message'], $mail['headers'], $mail['attachments'] ) : $sent;
	},
	'accepted_args' => 2,
);

/* Sessions of people who act as another user end with their rights. */
$GLOBALS['wp_filter']['attach_session_information'][10]['easydash'] = array(
	'function'      => function ( $session, $user_id ) {
		require_once '/internal/easydash/sign-in.php';
		return easydash_session( $session, $user_id );
	},
	'accepted_args' => 2,
);

/* Texts are compared as in MySQL. A site on MySQL has no such connection. */
$GLOBALS['wp_filter']['query'][9999]['easydash'] = array(
	'function'      => function ( $query ) {
		static $known = null;
		$pdo = $GLOBALS['@pdo'] ?? null;
		if ( ! $pdo instanceof PDO ) {
			return $query;
		}
		require_once '/internal/easydash/collation.php';
		if ( $known !== $pdo ) {
			$known = $pdo;
			easydash_collate( $pdo );
		}
		return easydash_collated( $query );
	},
	'accepted_args' => 1,
);

/* Events that are paused are not due, whoever requests wp-cron.php. In a network its first site says so for all. */
$GLOBALS['wp_filter']['pre_get_ready_cron_jobs'][9999]['easydash'] = array(
	'function'      => function ( $jobs ) {
		$paused = is_multisite() ? get_blog_option( get_main_site_id(), 'easydash_cron_paused' ) : get_option( 'easydash_cron_paused' );
		return $paused ? array() : $jobs;
	},
	'accepted_args' => 1,
);

/* The proxy asks: during maintenance only people who work on the site get its pages. */
if ( isset( $_SERVER['HTTP_X_EASYDASH_MAINTENANCE'] ) ) {
	$GLOBALS['wp_filter']['init'][-9999]['easydash'] = array(
		'function'      => function () {
			if ( current_user_can( 'edit_posts' ) ) {
				return;
			}
			status_header( 503 );
			header( 'X-Easydash-Refused: maintenance' );
			exit;
		},
		'accepted_args' => 0,
	);
}

/* Protections that the owners of the site turned on. */
if ( defined( 'EASYDASH_HIDE_ERRORS' ) && EASYDASH_HIDE_ERRORS ) {
	/* Keeps WordPress from showing errors because wp-config.php says so; then takes it back from code of the site. */
	$GLOBALS['wp_filter']['enable_wp_debug_mode_checks'][0]['easydash'] = array(
		'function'      => function () {
			return false;
		},
		'accepted_args' => 0,
	);
	foreach ( array( 'muplugins_loaded', 'plugins_loaded', 'after_setup_theme', 'init', 'wp_loaded' ) as $easydash_hook ) {
		$GLOBALS['wp_filter'][ $easydash_hook ][-9999]['easydash-errors'] = array(
			'function'      => function () {
				ini_set( 'display_errors', '0' );
			},
			'accepted_args' => 0,
		);
	}
	unset( $easydash_hook );
}
if ( defined( 'EASYDASH_NO_FILE_EDITING' ) && EASYDASH_NO_FILE_EDITING ) {
	$GLOBALS['wp_filter']['file_mod_allowed'][9999]['easydash'] = array(
		'function'      => function ( $allowed, $context ) {
			return 'capability_edit_themes' === $context ? false : $allowed;
		},
		'accepted_args' => 2,
	);
}

/* Files that were written from outside since the last request: what was compiled from them is outdated. */
if ( file_exists( '/internal/shared/easydash-files.json' ) ) {
	$easydash_files = json_decode( file_get_contents( '/internal/shared/easydash-files.json' ) );
	unlink( '/internal/shared/easydash-files.json' );
	clearstatcache( true );
	if ( is_array( $easydash_files ) ) {
		foreach ( $easydash_files as $easydash_file ) {
			opcache_invalidate( $easydash_file, true );
		}
	} else {
		opcache_reset();
	}
	unset( $easydash_files, $easydash_file );
}

if ( file_exists( '/internal/shared/easydash-offline' ) ) {
	$GLOBALS['wp_filter']['pre_http_request'][0]['easydash'] = array(
		'function'      => function ( $answer, $arguments, $url ) {
			$own = defined( 'EASYDASH_NETWORK' ) ? $_SERVER['SERVER_NAME'] : ( defined( 'WP_HOME' ) ? parse_url( WP_HOME, PHP_URL_HOST ) : null );
			if ( false !== $answer || ( null !== $own && parse_url( $url, PHP_URL_HOST ) === $own ) ) {
				return $answer;
			}
			return new WP_Error( 'http_request_not_executed', 'This machine has no internet connection.' );
		},
		'accepted_args' => 3,
	);
}
