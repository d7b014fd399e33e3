<?php
/* What a plan shows of two rows that clash: a part of one value of each, and nothing of secrets. */
require '/internal/easydash/secrets.php';

final class Easydash_Merge_Excerpt {
	/** Columns that say most about a row, in this order. */
	const TELLING = array( 'post_title', 'post_content', 'option_value', 'meta_value', 'display_name', 'user_email', 'user_login', 'comment_content', 'name', 'description' );

	/** The column whose values tell two rows apart best, of those that changed on staging and on the site. */
	public static function column( $ours, $theirs, $row ) {
		$both    = array_values( array_intersect( $ours, $theirs ) );
		$columns = $both ? $both : $ours;
		/* One that can be shown, if there is one. */
		$open    = array_values( array_filter( $columns, fn( $column ) => ! Easydash_Secrets::is_named( $column ) ) );
		$columns = $open ? $open : $columns;
		foreach ( self::TELLING as $column ) {
			if ( in_array( $column, $columns, true ) || ( ! $columns && array_key_exists( $column, $row ) ) ) {
				return $column;
			}
		}
		return $columns ? current( $columns ) : '';
	}

	/** The value of a column around its first difference to the one of another row. */
	public static function of( $row, $other, $column, $label ) {
		$value = null === $row ? null : ( $row[ $column ] ?? null );
		if ( null === $value ) {
			return null === $row ? array( 'value' => '', 'hidden' => false ) : self::label( $label );
		}
		if ( Easydash_Secrets::is_in( $row, $column ) || ( null !== $other && Easydash_Secrets::is_in( $other, $column ) ) ) {
			return array( 'value' => '', 'hidden' => true );
		}
		$value = (string) $value;
		$same  = strspn( $value ^ (string) ( $other[ $column ] ?? '' ), "\0" );
		$start = max( 0, $same - 30 );
		return array( 'value' => ( $start > 0 ? '…' : '' ) . Easydash_Merge_Diff::text( substr( $value, $start, 1200 ), 110 ), 'hidden' => false );
	}

	/** The label of a row that has no such value. */
	public static function label( $label ) {
		return array( 'value' => Easydash_Merge_Diff::text( $label ), 'hidden' => false );
	}
}
