/**
 * Kinds of findings that make a WordPress need attention: something doesn't work now, or shows visitors what it shouldn't. The
 * others are advice, which also new sites get.
 */
export const urgentFindings = ['broken', 'php_errors', 'errors_shown', 'late_events', 'disk'] as const
