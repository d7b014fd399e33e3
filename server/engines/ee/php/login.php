<?php
/*
 * The part of Easydash' must-use plugin that signs people in by links for one use, and its WP-CLI command. What it needs of the local
 * engine's scripts (grant, members, sign-in, sign-out) precedes it in the same file and namespace.
 *
 * A link has 256 random bits. The site stores their SHA-256 alone, as the name of a file in `wp-content/easydash-login`, with who may
 * sign in until when. The files begin with PHP that ends at once, so the web server shows nothing of them. A quarter of an hour after the
 * last link has ended the plugin takes itself away: until then a used link can say so, and a second factor ends a sign-in as another user.
 */

const EASYDASH_LINKS = \WP_CONTENT_DIR . '/easydash-login';
/** Of the last link that was used: when. */
const EASYDASH_LAST = EASYDASH_LINKS . '/last.php';

/** The content of a file of a link; null if it is none. */
function easydash_read_link( $path ) {
	$lines = is_file( $path ) ? explode( "\n", (string) file_get_contents( $path, false, null, 0, 8192 ), 2 ) : array();
	$link  = json_decode( $lines[1] ?? '', true );
	return is_array( $link ) ? $link : null;
}

/** Takes a link away, so that of several uses at the same time one succeeds; null if it is not valid now. */
function easydash_take_link( $token ) {
	if ( ! is_string( $token ) || 1 !== preg_match( '/^[A-Za-z0-9_-]{43}$/D', $token ) ) {
		return null;
	}
	$hash = hash( 'sha256', $token );
	$path = EASYDASH_LINKS . '/' . $hash . '.php';
	$mine = EASYDASH_LINKS . '/used-' . bin2hex( random_bytes( 16 ) ) . '.php';
	/* Renaming is the claim: only one of several can do it. */
	if ( ! is_file( $path ) || is_link( $path ) || ! @rename( $path, $mine ) ) {
		return null;
	}
	$link = easydash_read_link( $mine );
	unlink( $mine );
	file_put_contents( EASYDASH_LAST, "<?php exit; ?>\n" . json_encode( array( 'expires' => time() ) ), LOCK_EX );
	$is_valid = null !== $link && hash_equals( (string) ( $link['hash'] ?? '' ), $hash ) && time() <= (int) ( $link['expires'] ?? 0 );
	return $is_valid ? $link : null;
}

/** Whether the request is not a person's visit: a browser that fetches ahead, or a service that shows what a link leads to. */
function easydash_is_preview() {
	$purposes = '';
	foreach ( array( 'HTTP_SEC_PURPOSE', 'HTTP_PURPOSE', 'HTTP_X_PURPOSE', 'HTTP_X_MOZ' ) as $name ) {
		$purposes .= ' ' . ( $_SERVER[ $name ] ?? '' );
	}
	return 1 === preg_match( '/prefetch|prerender|preview/i', $purposes )
		|| 'navigate' !== ( $_SERVER['HTTP_SEC_FETCH_MODE'] ?? 'navigate' )
		|| 1 === preg_match( '/bot\b|crawl|spider|preview|externalhit|embed|unfurl|scanner|^WhatsApp/i', $_SERVER['HTTP_USER_AGENT'] ?? '' );
}

/** A turn that one request has at a time. Its file is the container's, so nothing of it stays in the site. */
function easydash_turn() {
	$turn = fopen( get_temp_dir() . 'easydash-login.lock', 'c' );
	return $turn && flock( $turn, LOCK_EX ) ? $turn : null;
}

/** Uses the link of this request, if it is one. */
function easydash_use_link() {
	if ( ! isset( $_GET['easydash-login'] ) || 'GET' !== ( $_SERVER['REQUEST_METHOD'] ?? '' ) ) {
		return;
	}
	nocache_headers();
	header( 'Cache-Control: no-store' );
	header( 'Referrer-Policy: no-referrer' );
	if ( easydash_is_preview() ) {
		/* Browsers throw away what they fetched ahead with such a status. */
		wp_die( 'Open this link in a browser. Nobody was signed in, and the link is still good.', 'This link signs in once', array( 'response' => 503 ) );
	}
	$link = easydash_take_link( wp_unslash( $_GET['easydash-login'] ) );
	$user = null;
	if ( null !== $link ) {
		/* Two links of one person must not make two users, and none after the person's rights have ended. */
		$turn = easydash_turn();
		if ( $turn ) {
			$as   = $link['as'] ?? null;
			$user = null === $as ? easydash_own_user( $link ) : get_user_by( 'login', $as );
			/* Asked when the link was made, and again now. */
			if ( null !== $as && '' !== easydash_refusal( $user, $link ) ) {
				$user = null;
			}
			if ( $user ) {
				if ( null !== $as ) {
					easydash_mark_sessions( $user, $link['key'] );
				}
				/* Ends the request, and with it the turn. */
				easydash_sign_in( $user, empty( $link['network'] ) ? admin_url() : network_admin_url() );
			}
			flock( $turn, LOCK_UN );
		}
	}
	wp_die( 'It was used already, or its time is over. Ask Easydash to open the admin again.', 'This link is not valid any more', array( 'response' => 410 ) );
}
add_action( 'init', __NAMESPACE__ . '\\easydash_use_link', PHP_INT_MIN );
add_filter( 'attach_session_information', __NAMESPACE__ . '\\easydash_session', 10, 2 );

/** Whether somebody may need the plugin; what is over is removed. */
function easydash_is_needed() {
	$is_needed = false;
	foreach ( (array) glob( EASYDASH_LINKS . '/*.php' ) as $path ) {
		$link = easydash_read_link( $path );
		if ( null !== $link && time() <= (int) ( $link['expires'] ?? 0 ) + EASYDASH_PATIENCE ) {
			$is_needed = true;
		} else {
			@unlink( $path );
		}
	}
	return $is_needed;
}

/** Takes the plugin away when nobody needs it. */
function easydash_leave() {
	/* A site that may not write there keeps it. */
	if ( easydash_is_needed() || ! @rename( __FILE__, __FILE__ . '.old' ) ) {
		return;
	}
	/* Links are placed before the plugin, so one that is placed meanwhile is seen here, or brings the plugin after this. */
	if ( easydash_is_needed() ) {
		rename( __FILE__ . '.old', __FILE__ );
		return;
	}
	@unlink( __FILE__ . '.old' );
	@rmdir( EASYDASH_LINKS );
}
add_action( 'shutdown', __NAMESPACE__ . '\\easydash_leave', PHP_INT_MAX );

/** Removes unused links that are late, or of people who may not sign in like that any more. */
function easydash_drop_links( $keep ) {
	$roles = array_column( $keep, 'role', 'key' );
	$order = array( 'editor', 'administrator' );
	foreach ( (array) glob( EASYDASH_LINKS . '/*.php' ) as $path ) {
		$link = easydash_read_link( $path );
		if ( null === $link || EASYDASH_LAST === $path ) {
			continue;
		}
		$may  = array_search( $roles[ (string) ( $link['key'] ?? '' ) ] ?? null, $order, true );
		$asks = array_search( $link['role'] ?? null, $order, true );
		if ( false === $may || false === $asks || $asks > $may || time() > (int) ( $link['expires'] ?? 0 ) ) {
			unlink( $path );
		}
	}
}

if ( defined( 'WP_CLI' ) && \WP_CLI ) {
	/* Standard input: keep (key and role of each), pause, remove (keys), reassignTo (login name). Prints what `easydash_sync_users` returns. */
	\WP_CLI::add_command(
		'easydash sync',
		function () {
			$input = json_decode( (string) file_get_contents( 'php://stdin' ), true );
			$turn  = easydash_turn();
			if ( ! is_array( $input ) || ! $turn ) {
				\WP_CLI::error( 'The users of people cannot be read.' );
			}
			easydash_drop_links( $input['keep'] );
			$result = easydash_sync_users( $input );
			flock( $turn, LOCK_UN );
			\WP_CLI::line( json_encode( $result ) );
		}
	);
}
