<?php
/*
 * Makes one change to WordPress. Input: change (`WordPressChange` in shared/rules/wordpress-changes.ts), safe, password for
 * `set_password`, operation (a name or null), for which what is active before is kept for `undo`, and keep: what is deleted is moved
 * to where `deleted.php` finds it; shared: its Redis is that of other sites, too. Result: ran (number or null), or refused (missing, invalid or failed) with why.
 */
require '/internal/easydash/load.php';
require '/internal/easydash/members.php';
require '/internal/easydash/change-users.php';
require '/internal/easydash/change-network.php';
require '/internal/easydash/change-cache.php';

/** Ends the run: what was to be changed does not exist, or WordPress refuses the change. */
function easydash_refuse( $code, $why ) {
	easydash_result(
		array(
			'refused' => $code,
			'why'     => easydash_text( $why, 300 ),
		)
	);
	exit;
}

/** The value, unless it is WordPress' error. */
function easydash_expect( $value ) {
	if ( is_wp_error( $value ) ) {
		easydash_refuse( 'invalid', $value->get_error_message() );
	}
	if ( false === $value ) {
		easydash_refuse( 'failed', '' );
	}
	return $value;
}

function easydash_plugin( $change ) {
	if ( ! isset( get_plugins()[ $change['plugin'] ] ) ) {
		easydash_refuse( 'missing', '' );
	}
	return $change['plugin'];
}

function easydash_theme( $change ) {
	if ( ! wp_get_theme( $change['theme'] )->exists() ) {
		easydash_refuse( 'missing', '' );
	}
	return $change['theme'];
}

/** Adds an entry to a list of a site option, or removes it. */
function easydash_toggle( $option, $entry, $on ) {
	$entries = array_values( array_diff( (array) get_site_option( $option, array() ), array( $entry ) ) );
	if ( $on ) {
		$entries[] = $entry;
	}
	update_site_option( $option, $entries );
}

/** Runs one scheduled event now; a recurring one keeps its schedule. */
function easydash_run_event( $id ) {
	list( $time, $key, $hook ) = array_pad( explode( '|', $id, 3 ), 3, '' );
	$event                     = _get_cron_array()[ (int) $time ][ $hook ][ $key ] ?? null;
	if ( ! is_array( $event ) ) {
		easydash_refuse( 'missing', '' );
	}
	if ( $event['schedule'] ) {
		wp_reschedule_event( (int) $time, $event['schedule'], $hook, $event['args'] );
	}
	wp_unschedule_event( (int) $time, $hook, $event['args'] );
	do_action_ref_array( $hook, $event['args'] );
}

/** Keeps what is active before an operation; a repeated one finds what its first attempt kept. */
function easydash_remember( $operation ) {
	$before = get_option( 'easydash_before' );
	if ( ! is_array( $before ) || ( $before['operation'] ?? null ) !== $operation ) {
		$before = array(
			'operation'  => $operation,
			'plugins'    => get_option( 'active_plugins', array() ),
			'network'    => is_multisite() ? get_site_option( 'active_sitewide_plugins', array() ) : null,
			'template'   => get_option( 'template' ),
			'stylesheet' => get_option( 'stylesheet' ),
		);
		update_option( 'easydash_before', $before, false );
	}
}

/** Puts back what was active before an operation. */
function easydash_undo( $operation ) {
	$before = get_option( 'easydash_before' );
	if ( ! is_array( $before ) || ( $before['operation'] ?? null ) !== $operation ) {
		return;
	}
	update_option( 'active_plugins', (array) $before['plugins'] );
	if ( isset( $before['network'] ) && is_multisite() ) {
		update_site_option( 'active_sitewide_plugins', (array) $before['network'] );
	}
	if ( get_option( 'stylesheet' ) !== $before['stylesheet'] || get_option( 'template' ) !== $before['template'] ) {
		switch_theme( $before['stylesheet'] );
		/* A child theme whose parent is missing is no theme to switch to, and was active all the same. */
		update_option( 'template', $before['template'] );
	}
	delete_option( 'easydash_before' );
}

/** From here on, WordPress moves away what it would delete. */
function easydash_keep_what_is_deleted() {
	require '/internal/easydash/keep-deleted.php';
	require_once ABSPATH . 'wp-admin/includes/class-wp-filesystem-base.php';
	require_once ABSPATH . 'wp-admin/includes/class-wp-filesystem-direct.php';
	class WP_Filesystem_easydash extends WP_Filesystem_Direct {
		public function delete( $file, $recursive = false, $type = false ) {
			return $this->exists( $file ) && easydash_keep_deleted( untrailingslashit( $file ) );
		}
	}
	add_filter( 'filesystem_method', fn() => 'easydash', PHP_INT_MAX );
	add_filter( 'request_filesystem_credentials', fn() => array(), PHP_INT_MAX );
}

/** Makes the change; returns how many events ran, or null. */
function easydash_change( $change, $password, $shared ) {
	switch ( $change['kind'] ) {
		case 'activate_plugin':
			$network = ! empty( $change['network'] );
			if ( $network && ! is_multisite() ) {
				easydash_refuse( 'not_multisite', '' );
			}
			easydash_expect( activate_plugin( easydash_plugin( $change ), '', $network ) ?? true );
			break;
		case 'deactivate_plugin':
			deactivate_plugins( array( easydash_plugin( $change ) ) );
			break;
		case 'delete_plugin':
			if ( isset( get_plugins()[ $change['plugin'] ] ) ) {
				if ( is_plugin_active( $change['plugin'] ) ) {
					easydash_refuse( 'active', '' );
				}
				easydash_expect( delete_plugins( array( $change['plugin'] ) ) );
				easydash_toggle( 'auto_update_plugins', $change['plugin'], false );
			}
			break;
		case 'set_plugin_auto_update':
			easydash_toggle( 'auto_update_plugins', easydash_plugin( $change ), $change['enabled'] );
			break;
		case 'activate_theme':
			$theme = wp_get_theme( easydash_theme( $change ) );
			if ( $theme->errors() ) {
				easydash_refuse( 'invalid', $theme->errors()->get_error_message() );
			}
			switch_theme( $change['theme'] );
			break;
		case 'delete_theme':
			if ( wp_get_theme( $change['theme'] )->exists() ) {
				if ( in_array( $change['theme'], array( get_option( 'stylesheet' ), get_option( 'template' ) ), true ) ) {
					easydash_refuse( 'active', '' );
				}
				easydash_expect( delete_theme( $change['theme'] ) );
				easydash_toggle( 'auto_update_themes', $change['theme'], false );
			}
			break;
		case 'set_theme_auto_update':
			easydash_toggle( 'auto_update_themes', easydash_theme( $change ), $change['enabled'] );
			break;
		case 'add_user':
			if ( ! wp_roles()->is_role( $change['role'] ) ) {
				easydash_refuse( 'missing', '' );
			}
			easydash_expect(
				wp_insert_user(
					wp_slash(
						array(
							'user_login' => $change['login'],
							'user_email' => $change['email'],
							'user_pass'  => wp_generate_password( 32 ),
							'role'       => $change['role'],
						)
					)
				)
			);
			break;
		case 'set_role':
			$user = easydash_user( $change['login'] );
			if ( ! wp_roles()->is_role( $change['role'] ) ) {
				easydash_refuse( 'missing', '' );
			}
			if ( 'administrator' !== $change['role'] ) {
				easydash_keep_administrator( $user );
			}
			$user->set_role( $change['role'] );
			break;
		case 'rename_user':
			easydash_rename_user( $change['login'], $change['to'] );
			break;
		case 'delete_user':
			$user = get_user_by( 'login', $change['login'] );
			if ( $user ) {
				easydash_keep_administrator( $user );
				if ( is_multisite() && array( $user->user_login ) === array_values( get_super_admins() ) ) {
					easydash_refuse( 'last_administrator', '' );
				}
				$heir = easydash_user( $change['reassign_to'] );
				easydash_expect( easydash_remove_user( $user->ID, $heir->ID ) );
			}
			break;
		case 'set_password':
			$user = easydash_user( $change['login'] );
			wp_set_password( $password, $user->ID );
			WP_Session_Tokens::get_instance( $user->ID )->destroy_all();
			break;
		case 'run_event':
			easydash_run_event( $change['id'] );
			return 1;
		case 'pause_events':
			update_option( 'easydash_cron_paused', $change['paused'] ? '1' : '', true );
			break;
		case 'undo':
			easydash_undo( $change['operation'] );
			break;
		case 'add_network_site':
			easydash_add_site( $change );
			break;
		case 'delete_network_site':
			easydash_delete_site( $change['id'] );
			break;
		case 'set_theme_network':
			easydash_set_theme_network( easydash_theme( $change ), $change['enabled'] );
			break;
		case 'set_super_admin':
			easydash_set_super_admin( easydash_user( $change['login'] ), $change['enabled'] );
			break;
		case 'flush_cache':
			easydash_flush_caches( $shared );
			break;
	}
	return null;
}

if ( 'run_event' !== $easydash_input['change']['kind'] ) {
	/* Nobody asked the site to send mail about what is done here. */
	add_filter( 'pre_wp_mail', '__return_true', -1 );
}
if ( ! empty( $easydash_input['keep'] ) ) {
	easydash_keep_what_is_deleted();
}
if ( isset( $easydash_input['operation'] ) ) {
	easydash_remember( $easydash_input['operation'] );
}
easydash_result( array( 'ran' => easydash_change( $easydash_input['change'], $easydash_input['password'] ?? '', ! empty( $easydash_input['shared'] ) ) ) );
