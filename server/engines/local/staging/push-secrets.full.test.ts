import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { createStaged, type StagedSites } from './staged-fixture.ts'

let fixture: EngineFixture
let sites: StagedSites

beforeAll(async () => {
  fixture = await startFixture()
  sites = await createStaged(
    fixture,
    `wp_insert_user( array( 'user_login' => 'ann', 'user_pass' => 'x' ) );
     update_user_meta( 2, 'recovery_key', 'before' ); update_user_meta( 2, 'nickname', 'before' );
     $wpdb->query( "CREATE TABLE {$wpdb->prefix}grants (access_token varchar(50) NOT NULL, name varchar(50), PRIMARY KEY (access_token))" );
     $wpdb->insert( $wpdb->prefix . 'grants', array( 'access_token' => 'leak-in-a-label', 'name' => 'before' ) );
     foreach ( array( 'stripe_secret', 'gateway_settings', 'gateway_json', 'open_settings' ) as $name ) { update_option( $name, 'before' ); } return 1;`,
  )
})
afterAll(() => fixture?.end())

/** Changes what holds secrets on one side. All secrets begin with `leak`. */
const change = (side: string) =>
  `$wpdb->update( $wpdb->users, array( 'user_pass' => 'leak-hash-${side}', 'user_activation_key' => 'leak-key-${side}' ), array( 'ID' => 2 ) );
   update_user_meta( 2, 'recovery_key', 'leak-recovery-${side}' ); update_user_meta( 2, 'nickname', 'Nick of ${side}' );
   update_option( 'stripe_secret', 'leak-option-${side}' );
   foreach ( array( 'recovery_keys', 'user_count', 'auto_core_update_notified' ) as $name ) { update_option( $name, 'leak-own-${side}' ); }
   update_option( 'gateway_settings', array( 'title' => 'Cards', 'private_key' => 'leak-serialized-${side}' ) );
   update_option( 'gateway_json', json_encode( array( 'smtp_pass' => 'leak-json-${side}' ) ) );
   update_option( 'open_settings', array( 'color' => 'of ${side}' ) );
   $wpdb->update( $wpdb->prefix . 'grants', array( 'name' => 'Grant of ${side}' ), array( 'access_token' => 'leak-in-a-label' ) ); return 1;`

test('a plan says that secrets differ, shows none of them, and leaves out what WordPress notes for itself', async () => {
  await sites.wp(sites.staging, change('staging'))
  await sites.wp(sites.site, change('live'))
  const { database } = await sites.plan()
  expect(JSON.stringify(database)).not.toContain('leak')
  const clashes = (database?.clashes ?? []).map(({ label, detail, staging, live }) =>
    [label, detail, staging.hidden ? 'hidden' : staging.value, live.hidden ? 'hidden' : live.value].join(' | '),
  )
  expect(clashes.toSorted()).toEqual([
    'ann | nickname | Nick of staging | Nick of live',
    'ann | recovery_key | hidden | hidden',
    'ann | user_pass | hidden | hidden',
    'gateway_json | option_value | hidden | hidden',
    'gateway_settings | option_value | hidden | hidden',
    'grants *** | name | Grant of staging | Grant of live',
    expect.stringMatching(/^open_settings \| option_value \| .*of staging.* \| .*of live/),
    'stripe_secret | option_value | hidden | hidden',
  ])
})
