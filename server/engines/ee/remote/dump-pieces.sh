# Prints BYTES SHA256 of each piece of a dump, cut before tables and before statements of rows, so that a backup sends those again that changed: FILE. Nothing without
# the module of perl for it: the dump is one piece then. Memory is bounded.
dump_pieces() {
  perl -e '
    eval { require Digest::SHA } or exit;
    my ($sum, $held, $bytes, $pieces) = (Digest::SHA->new(256), "", 0, 0);
    my $take = sub {
      $sum->add($_[0]);
      $bytes += length $_[0];
    };
    my $end = sub {
      print "$bytes ", $sum->hexdigest, "\n" if $bytes;
      $bytes = 0;
      $pieces++;
    };
    open my $file, "<", $ARGV[0] or die "Error: The dump cannot be read: $!\n";
    for (my $isLast = 0; !$isLast;) {
      my $read = read $file, $held, 1048576, length $held;
      die "Error: The dump cannot be read: $!\n" unless defined $read;
      $isLast = $read == 0;
      my $from = 0;
      while ($held =~ /\n(?=INSERT INTO `|-- Table structure )/g) {
        $take->(substr $held, $from, $+[0] - $from);
        $from = $+[0];
        $end->() if $bytes >= 4096 && $pieces < 65535;
      }
      # What a piece begins with can come in two halves.
      my $until = length($held) - ($isLast ? 0 : 32);
      $until = $from if $until < $from;
      $take->(substr $held, $from, $until - $from);
      substr $held, 0, $until, "";
    }
    $end->();
  ' "$1"
}
