/** The WordPress of a site: its plugins, on a real site. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 4 * siteTimeout })

const pluginLine = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Plugins' }).getByRole('listitem').filter({ hasText: name })

asOwner(
  'plugins are activated, and one that breaks the homepage is deactivated again',
  async ({ page, site, product }) => {
    const www = join(product.dataDir, 'local', 'sites', site.split('/').at(-1) ?? '', 'www')
    await mkdir(join(www, 'wp-content/plugins/breaks'))
    await writeFile(
      join(www, 'wp-content/plugins/breaks/breaks.php'),
      `<?php
/* Plugin Name: Breaks the homepage */
add_action( 'template_redirect', function () { status_header( 500 ); exit; } );
`,
    )
    await page.goto(`${site}#wordpress`)
    const hello = pluginLine(page, 'Hello Dolly')
    await hello.getByRole('button', { name: 'Activate Hello Dolly' }).click()
    await expect(hello.getByRole('button', { name: 'Deactivate Hello Dolly' })).toBeVisible({ timeout: siteTimeout })
    await expect(siteStatus(page, 'Live')).toBeVisible()

    const broken = pluginLine(page, 'Breaks the homepage')
    await broken.getByRole('button', { name: 'Activate Breaks the homepage' }).click()
    await expect(page.getByText(/Activate Breaks the homepage/).first()).toBeVisible()
    await expect(page.getByText(/status 500/).first()).toBeVisible({ timeout: siteTimeout })
    await expect(broken.getByRole('button', { name: 'Activate Breaks the homepage' })).toBeVisible()
    await expect(siteStatus(page, 'Live')).toBeVisible()
    expect(
      (
        await page.request.get(`http://127.0.0.1:${product.port}/`, {
          headers: { host: `${blog.name}.localhost:${product.port}` },
        })
      ).status(),
    ).toBe(200)
    await page.goto(`${site}#activities`)
    await expect(page.getByText(/activated a plugin/).first()).toBeVisible()
  },
)
