import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { formatAbsolute } from '#web/lib/i18n/format.ts'
import { MemoryRouter } from 'react-router'
import { SiteCard } from './site-card.tsx'
import type { SiteCardData } from './site-card.tsx'

const site: SiteCardData = {
  title: null,
  domain: 'blog.example',
  status: 'Live',
  health: 'Slow',
  thumbnail: '/pictures/blog.webp',
  thumbnail_taken: '2026-10-28 14:02:11.000000',
  usr_alias_domains: 'a.example b.example,c.example\nd.example e.example',
  server_title: 'web-1',
}

function renderCard(data: SiteCardData): { text: string; images: number; blocks: number } {
  const { container } = render(
    <MemoryRouter>
      <SiteCard site={data} />
    </MemoryRouter>,
  )
  return {
    text: container.textContent,
    images: container.querySelectorAll('img').length,
    blocks: container.querySelectorAll('div, dl, dt, dd, ul, li, p').length,
  }
}

test('shows status, server, domains and the time of the screenshot', () => {
  const { text, images } = renderCard(site)
  for (const part of ['blog.example', 'Live', 'Slow', 'web-1', 'a.example, b.example, c.example, +2'])
    expect(text).toContain(part)
  expect(text).toContain(formatAbsolute(site.thumbnail_taken))
  expect(images).toBe(1)
})

test('contains only text, so it can describe a link', () => {
  expect(renderCard(site).blocks).toBe(0)
})

test('omits values that were never measured', () => {
  const { text, images } = renderCard({
    ...site,
    status: 'Setting Up',
    thumbnail: null,
    usr_alias_domains: null,
    server_title: null,
  })
  for (const part of ['Slow', 'Server', 'Aliases', 'Screenshot taken']) expect(text).not.toContain(part)
  expect(images).toBe(0)
})
