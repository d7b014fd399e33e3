# Prints ROWS TABLE for each table of a dump, the name as the dump words it, and of no more tables than MOST: FILE MOST. It counts as
# `server/platform/mysql/count-rows.ts` does, for archives that do not pass through Easydash. Memory is bounded.
count_rows() {
  perl -e '
    my ($path, $most) = @ARGV;
    my $quoted = qr/[^`]*(?:``[^`]*)*+/;
    my ($held, $at, $current, $depth, $isLast) = ("", "begin", "", 0, 0);
    my (%rows, @tables);
    my $isCounted = sub {
      return 1 if exists $rows{$_[0]};
      return 0 if @tables >= $most;
      push @tables, $_[0];
    };
    open my $file, "<", $path or die "Error: The dump cannot be read: $!\n";
    until ($isLast) {
      my $read = read $file, $held, 1048576, length $held;
      die "Error: The dump cannot be read: $!\n" unless defined $read;
      $isLast = $read == 0;
      pos($held) = 0;
      while (pos($held) < length $held) {
        if ($at eq "line") {
          $held =~ /\n/gc or pos($held) = length $held, last;
          $at = "begin";
        } elsif ($at eq "begin") {
          my $from = pos $held;
          my $end = index $held, "\n", $from;
          last if $end < 0 && !$isLast && length($held) - $from < 65536;
          my $length = ($end < 0 ? length $held : $end) - $from;
          my $head = substr $held, $from, $length < 65536 ? $length : 65536;
          $rows{$1} = 0 if $head =~ /^CREATE TABLE `($quoted)` \(/ && @tables < $most && $isCounted->($1);
          $at = "line";
          if ($head =~ /^INSERT INTO `($quoted)` (?:\(`$quoted`(?:, `$quoted`)*\) )?VALUES/) {
            ($at, $current, $depth) = ("rows", $1, 0);
            pos($held) = $from + $+[0];
          }
        } elsif ($at eq "rows") {
          $held =~ /\G(?:[^\x27();]+|\x27(?:[^\x27\\]+|\\.)*+\x27)*+/gcs;
          my $next = substr $held, pos($held), 1;
          last if $next eq "";
          pos($held)++;
          if ($next eq "\x27") { $at = "text" }
          elsif ($next eq "(") { $rows{$current}++ if ++$depth == 1 && $isCounted->($current) }
          elsif ($next eq ")") { $depth-- }
          elsif ($depth == 0) { $at = "line" }
        } else {
          $held =~ /\G[^\x27\\]+/gc;
          if ($held =~ /\G\x27/gc) { $at = "rows" }
          elsif ($held !~ /\G\\./gcs) { last }
        }
      }
      substr $held, 0, pos($held), "";
    }
    print "$rows{$_} $_\n" for @tables;
  ' "$1" "$2"
}
